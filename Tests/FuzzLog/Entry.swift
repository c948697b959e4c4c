import StoreCrashing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// What libFuzzer calls. Built by Scripts/fuzz-log.sh and by nothing else, for it has its `main` from the fuzzer.

private let fuzzer: StoreFuzzer = {
    do { return try StoreFuzzer() } catch { fatalError("the stores that are changed cannot be made: \(error)") }
}()

/// The largest allocation since the last input began.
nonisolated(unsafe) private var largest = 0

@_silgen_name("__sanitizer_install_malloc_and_free_hooks")
private func installHooks(
    _ malloc: @convention(c) (UnsafeRawPointer?, Int) -> Void, _ free: @convention(c) (UnsafeRawPointer?) -> Void
) -> CInt

/// Makes the stores that are changed, and has every allocation reported.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<CInt>?, _ words: UnsafeMutableRawPointer?) -> CInt {
    _ = fuzzer
    _ = installHooks({ _, size in if size > largest { largest = size } }, { _ in })
    return 0
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    largest = 0
    let size = fuzzer.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    // A frame's buffer begins with this much, however small the store.
    guard largest <= max(4 * size, 1 << 20) else { fatalError("\(largest) bytes were asked for at once, for a store of \(size)") }
    return 0
}
