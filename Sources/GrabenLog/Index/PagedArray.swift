internal import Synchronization

/// A copy-on-write array of words by index: a tree of 512-entry pages whose height grows with the highest index.
///
///     page:  references Int (atomic) | owner UInt64 | live entries UInt64 | zeros up to 64 | 512 words
///
/// A word is 0 (absent) or, in a leaf, the caller's; above the leaves it is the address of the page below. A page is changed in place only
/// by the owner that made it, so whoever holds an older array never sees a change. Manual memory and counts, because one commit shares
/// thousands of pages with its predecessor and arrays of class references would retain and release each of them on every copy.
package final class PagedArray: @unchecked Sendable {
    static let fanOut = 512
    private static let headByteCount = 64
    private typealias Page = UnsafeMutableRawPointer

    // Exclusivity is unchecked: an array is changed by one owner and calls nobody while it is, and a look-up costs little more than a check.
    @exclusivity(unchecked) private var root: Page?
    @exclusivity(unchecked) private var height = 0
    /// Leaf words are retained objects.
    private let holdsObjects: Bool
    /// The leaf of the last `exchange`, which this array's owner may change in place.
    @exclusivity(unchecked) private var lastLeaf: Page?
    @exclusivity(unchecked) private var lastLeafNumber = -1
    @exclusivity(unchecked) private var lastOwner: UInt64 = 0

    package init(holdsObjects: Bool = false) { self.holdsObjects = holdsObjects }

    private init(sharing other: PagedArray) {
        holdsObjects = other.holdsObjects
        height = other.height
        root = other.root
        if let root { Self.retain(root) }
    }

    deinit { if let root { Self.release(root, height: height, holdsObjects) } }

    /// An array with the same contents; O(1). The original must not be changed afterwards by the owner that made its pages.
    package func copy() -> PagedArray { PagedArray(sharing: self) }

    // MARK: Pages

    @inline(__always)
    private static func words(_ page: Page) -> UnsafeMutablePointer<UInt> {
        (page + headByteCount).assumingMemoryBound(to: UInt.self)
    }
    @inline(__always)
    private static func references(_ page: Page) -> UnsafeMutablePointer<Atomic<Int>> {
        page.assumingMemoryBound(to: Atomic<Int>.self)
    }
    @inline(__always)
    private static func owner(_ page: Page) -> UInt64 { page.load(fromByteOffset: 8, as: UInt64.self) }

    private static func retain(_ page: Page) { references(page).pointee.wrappingAdd(1, ordering: .relaxed) }

    private static func release(_ page: Page, height: Int, _ holdsObjects: Bool) {
        guard references(page).pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if height > 1 {
            for index in 0..<fanOut {
                if let child = Page(bitPattern: words(page)[index]) { release(child, height: height - 1, holdsObjects) }
            }
        } else if holdsObjects {
            for index in 0..<fanOut {
                if let object = UnsafeRawPointer(bitPattern: words(page)[index]) { Unmanaged<AnyObject>.fromOpaque(object).release() }
            }
        }
        page.deallocate()
    }

    private static func makePage(owner: UInt64) -> Page {
        let size = headByteCount + fanOut * MemoryLayout<UInt>.size
        // No more than malloc's own alignment: it leaves a free piece before each page aligned further, and what is allocated later (the
        // objects of a drawing, say) would be strewn over those pieces instead of lying side by side.
        let page = Page.allocate(byteCount: size, alignment: 16)
        page.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        references(page).initialize(to: Atomic(1))
        page.storeBytes(of: owner, toByteOffset: 8, as: UInt64.self)
        return page
    }

    /// The page itself when `owner` made it, else a copy which takes over the caller's reference.
    private func writable(_ page: Page, height: Int, owner: UInt64) -> Page {
        if Self.owner(page) == owner { return page }
        let copy = Self.makePage(owner: owner)
        let source = Self.words(page)
        Self.words(copy).update(from: source, count: Self.fanOut)
        if height > 1 {
            for index in 0..<Self.fanOut {
                if let child = Page(bitPattern: source[index]) { Self.retain(child) }
            }
        } else if holdsObjects {
            for index in 0..<Self.fanOut {
                if let object = UnsafeRawPointer(bitPattern: source[index]) { _ = Unmanaged<AnyObject>.fromOpaque(object).retain() }
            }
        }
        Self.release(page, height: height, holdsObjects)
        return copy
    }

    // MARK: Access

    private func capacity(_ height: Int) -> Int { height == 0 ? 0 : 1 << (9 * height) }

    /// The word at an index; 0 when there is none. O(height), which is 3 up to 134 million.
    @inline(__always)
    package subscript(index: Int) -> UInt {
        guard index < capacity(height), index >= 0, var page = root else { return 0 }
        var shift = 9 * (height - 1)
        while shift > 0 {
            guard let child = Page(bitPattern: Self.words(page)[index >> shift & 511]) else { return 0 }
            page = child
            shift -= 9
        }
        return Self.words(page)[index & 511]
    }

    /// Stores a word and answers the one before it. Pages that `owner` did not make are copied first. Does not retain or release objects.
    @discardableResult
    package func exchange(_ index: Int, _ word: UInt, owner: UInt64) -> UInt {
        if index >> 9 == lastLeafNumber, owner == lastOwner, let leaf = lastLeaf {
            let place = Self.words(leaf) + (index & 511)
            defer { place.pointee = word }
            return place.pointee
        }
        if word == 0, self[index] == 0 { return 0 }
        while index >= capacity(height) {
            let page = Self.makePage(owner: owner)
            if let old = root { Self.words(page)[0] = UInt(bitPattern: old) }
            // Height 0 has no page at all, so the first page is a leaf.
            root = page
            height += 1
        }
        guard var page = root else { return 0 }
        page = writable(page, height: height, owner: owner)
        root = page
        var level = height
        while level > 1 {
            let place = Self.words(page) + (index >> (9 * (level - 1)) & 511)
            let child = Page(bitPattern: place.pointee).map { writable($0, height: level - 1, owner: owner) } ?? Self.makePage(owner: owner)
            place.pointee = UInt(bitPattern: child)
            page = child
            level -= 1
        }
        lastLeaf = page
        lastLeafNumber = index >> 9
        lastOwner = owner
        let place = Self.words(page) + (index & 511)
        defer { place.pointee = word }
        return place.pointee
    }

    /// Calls `body` with every index that has a word, ascending from `start`, until it answers false. Answers whether it went to the end.
    @discardableResult
    package func forEach<E: Error>(from start: Int = 0, _ body: (Int, UInt) throws(E) -> Bool) throws(E) -> Bool {
        guard let root, start < capacity(height) else { return true }
        return try visit(root, level: height, first: 0, from: max(0, start), body)
    }

    private func visit<E: Error>(
        _ page: Page, level: Int, first: Int, from start: Int, _ body: (Int, UInt) throws(E) -> Bool
    ) throws(E) -> Bool {
        let span = 1 << (9 * (level - 1))
        let begin = start > first ? (start - first) / span : 0
        guard begin < Self.fanOut else { return true }
        for slot in begin..<Self.fanOut {
            let word = Self.words(page)[slot]
            if word == 0 { continue }
            if level == 1 {
                guard try body(first + slot, word) else { return false }
            } else if let child = Page(bitPattern: word) {
                guard try visit(child, level: level - 1, first: first + slot * span, from: start, body) else { return false }
            }
        }
        return true
    }
}
