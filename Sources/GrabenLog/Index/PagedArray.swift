internal import Synchronization

/// How many entries the pages of a `PagedTree` have, as a power of two.
package protocol PageShape {
    static var bits: Int { get }
}

/// Pages of words: 4 KB, as in an index file.
package enum WordPages: PageShape {
    @inlinable package static var bits: Int { 9 }
}

/// Pages of objects: small, for whoever copies one counts a reference to each of them, and a commit that moves one row copies two.
package enum ObjectPages: PageShape {
    @inlinable package static var bits: Int { 5 }
}

package typealias PagedArray = PagedTree<WordPages>

/// A copy-on-write array of words by index: a tree of pages whose height grows with the highest index.
///
///     page:  references Int (atomic) | owner UInt64 | zeros up to 64 | 512 words, of an array of objects 32
///
/// A word is 0 (absent) or, in a leaf, the caller's; above the leaves it is the address of the page below. A page is changed in place only
/// by the owner that made it, so whoever holds an older array never sees a change. Rows of a page that is absent may lie in an index file,
/// `base`; the page is copied from there before it is changed. Manual memory and counts, because one commit shares
/// thousands of pages with its predecessor and arrays of class references would retain and release each of them on every copy.
package final class PagedTree<Shape: PageShape>: @unchecked Sendable {
    @inline(__always) static var bits: Int { Shape.bits }
    @inline(__always) static var fanOut: Int { 1 << bits }
    @inline(__always) private static var mask: Int { fanOut - 1 }
    @inline(__always) private static var headByteCount: Int { 64 }
    private typealias Page = UnsafeMutableRawPointer

    // Exclusivity is unchecked: an array is changed by one owner and calls nobody while it is, and a look-up costs little more than a check.
    @exclusivity(unchecked) private var root: Page?
    @exclusivity(unchecked) private var height = 0
    /// Leaf words are retained objects.
    private let holdsObjects: Bool
    /// What absent pages hold.
    let base: MappedRows?
    /// The leaf of the last `exchange`, which this array's owner may change in place.
    @exclusivity(unchecked) private var lastLeaf: Page?
    @exclusivity(unchecked) private var lastLeafNumber = -1
    @exclusivity(unchecked) private var lastOwner: UInt64 = 0

    package init(holdsObjects: Bool = false) {
        self.holdsObjects = holdsObjects
        base = nil
    }

    init(base: MappedRows) {
        holdsObjects = false
        self.base = base
    }

    private init(sharing other: PagedTree) {
        holdsObjects = other.holdsObjects
        base = other.base
        height = other.height
        root = other.root
        if let root { Self.retain(root) }
    }

    deinit { if let root { Self.release(root, height: height, holdsObjects) } }

    /// An array with the same contents; O(1). The original must not be changed afterwards by the owner that made its pages.
    package func copy() -> PagedTree { PagedTree(sharing: self) }

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

    /// A leaf with what the base has for it.
    private func makeLeaf(_ number: Int, owner: UInt64) -> Page {
        let page = Self.makePage(owner: owner)
        if let base { _ = base.copy(number, into: Self.words(page)) }
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

    private func capacity(_ height: Int) -> Int { height == 0 ? 0 : 1 << (Self.bits * height) }

    /// The word at an index; 0 when there is none. O(height), which is 3 up to 134 million words.
    @inline(__always)
    package subscript(index: Int) -> UInt {
        guard index < capacity(height), index >= 0, var page = root else { return base?.word(index) ?? 0 }
        var shift = Self.bits * (height - 1)
        while shift > 0 {
            guard let child = Page(bitPattern: Self.words(page)[index >> shift & Self.mask]) else { return base?.word(index) ?? 0 }
            page = child
            shift -= Self.bits
        }
        return Self.words(page)[index & Self.mask]
    }

    /// Stores a word and answers the one before it. Pages that `owner` did not make are copied first. Does not retain or release objects.
    @discardableResult
    package func exchange(_ index: Int, _ word: UInt, owner: UInt64) -> UInt {
        if index >> Self.bits == lastLeafNumber, owner == lastOwner, let leaf = lastLeaf {
            let place = Self.words(leaf) + (index & Self.mask)
            defer { place.pointee = word }
            return place.pointee
        }
        if word == 0, self[index] == 0 { return 0 }
        let leaf = writableLeaf(index >> Self.bits, owner: owner)
        lastLeaf = UnsafeMutableRawPointer(leaf) - Self.headByteCount
        lastLeafNumber = index >> Self.bits
        lastOwner = owner
        let place = leaf + (index & Self.mask)
        defer { place.pointee = word }
        return place.pointee
    }

    /// The words of a leaf, made or copied where `owner` did not make it. They may be changed until the array is copied.
    func writableLeaf(_ number: Int, owner: UInt64) -> UnsafeMutablePointer<UInt> {
        let index = number << Self.bits
        if root == nil {
            height = 1
            while index >= capacity(height) { height += 1 }
            root = height == 1 ? makeLeaf(0, owner: owner) : Self.makePage(owner: owner)
        }
        while index >= capacity(height) {
            let page = Self.makePage(owner: owner)
            if let old = root { Self.words(page)[0] = UInt(bitPattern: old) }
            root = page
            height += 1
        }
        guard var page = root else { preconditionFailure("a page was made above") }
        page = writable(page, height: height, owner: owner)
        root = page
        var level = height
        while level > 1 {
            let place = Self.words(page) + (index >> (Self.bits * (level - 1)) & Self.mask)
            let child =
                Page(bitPattern: place.pointee).map { writable($0, height: level - 1, owner: owner) }
                ?? (level == 2 ? makeLeaf(index >> Self.bits, owner: owner) : Self.makePage(owner: owner))
            place.pointee = UInt(bitPattern: child)
            page = child
            level -= 1
        }
        return Self.words(page)
    }

    /// Calls `body` with every index that has a word, ascending from `start`, until it answers false. Answers whether it went to the end.
    @discardableResult
    package func forEach<E: Error>(from start: Int = 0, _ body: (Int, UInt) throws(E) -> Bool) throws(E) -> Bool {
        var start = max(0, start)
        if let base {
            guard
                try forEachLeaf(
                    start / Self.fanOut..<max(base.pageCount, start / Self.fanOut),
                    { (number, words) throws(E) -> Bool in
                        for slot in max(0, start - number * Self.fanOut)..<Self.fanOut where words[slot] != 0 {
                            guard try body(number * Self.fanOut + slot, words[slot]) else { return false }
                        }
                        return true
                    })
            else { return false }
            start = max(start, base.pageCount * Self.fanOut)
        }
        guard let root, start < capacity(height) else { return true }
        return try visit(root, level: height, first: 0, from: start, body)
    }

    /// Fills 512 words with those of a leaf, whether it lies here or in the base; zeros where there is none.
    func copyLeaf(_ number: Int, into words: UnsafeMutablePointer<UInt>) {
        if let leaf = leaf(number) {
            words.update(from: leaf, count: Self.fanOut)
        } else if base?.copy(number, into: words) != true {
            words.update(repeating: 0, count: Self.fanOut)
        }
    }

    /// The leaf of these rows; nil when there is none.
    private func leaf(_ number: Int) -> UnsafeMutablePointer<UInt>? {
        guard number < capacity(height) / Self.fanOut, var page = root else { return nil }
        var level = height
        while level > 1 {
            guard let child = Page(bitPattern: Self.words(page)[number >> (Self.bits * (level - 2)) & Self.mask]) else { return nil }
            page = child
            level -= 1
        }
        return Self.words(page)
    }

    /// Lends the words of each of these leaves that has any, whether it lies here or in the base, until `body` answers false. O(leaves there
    /// are), and of a base the entries of its table.
    @discardableResult
    func forEachLeaf<E: Error>(
        _ numbers: Range<Int>, _ body: (Int, UnsafePointer<UInt>) throws(E) -> Bool
    ) throws(E) -> Bool {
        guard let base else {
            guard let root else { return true }
            return try visitLeaves(root, level: height, first: 0, in: numbers, body)
        }
        let copy = UnsafeMutablePointer<UInt>.allocate(capacity: Self.fanOut)
        defer { copy.deallocate() }
        for number in numbers {
            if let words = leaf(number) {
                guard try body(number, UnsafePointer(words)) else { return false }
            } else if base.hasPage(number), base.copy(number, into: copy) {
                guard try body(number, UnsafePointer(copy)) else { return false }
            }
        }
        return true
    }

    /// Whether any row of a leaf may have a word.
    func hasLeaf(_ number: Int) -> Bool { leaf(number) != nil || base?.hasPage(number) ?? false }

    /// The number of leaves up to the last one that may have a word.
    var leafLimit: Int { max(base?.pageCount ?? 0, root == nil ? 0 : capacity(height) / Self.fanOut) }

    /// Whether the leaf of these rows is the base's own, unchanged.
    func isBase(_ number: Int) -> Bool { base != nil && leaf(number) == nil }

    /// Calls `body` with every index whose word is another than in the base (0 where there is none), and both words, the base's first.
    /// O(pages in memory).
    func forEachChange<E: Error>(_ body: (Int, UInt, UInt) throws(E) -> Void) throws(E) {
        guard let root else { return }
        let old = UnsafeMutablePointer<UInt>.allocate(capacity: Self.fanOut)
        old.initialize(repeating: 0, count: Self.fanOut)
        defer { old.deallocate() }
        try visitLeaves(root, level: height, first: 0, in: 0..<capacity(height) / Self.fanOut) { (number, words) throws(E) in
            if let base { _ = base.copy(number, into: old) }
            for slot in 0..<Self.fanOut where words[slot] != old[slot] { try body(number * Self.fanOut + slot, old[slot], words[slot]) }
            return true
        }
    }

    /// Lends the leaves below a page, the first of which has the number `first`, as far as they are among `numbers`.
    @discardableResult
    private func visitLeaves<E: Error>(
        _ page: Page, level: Int, first: Int, in numbers: Range<Int>, _ body: (Int, UnsafePointer<UInt>) throws(E) -> Bool
    ) throws(E) -> Bool {
        if level == 1 { return numbers.contains(first) ? try body(first, UnsafePointer(Self.words(page))) : true }
        let span = 1 << (Self.bits * (level - 2))
        let low = min(max(numbers.lowerBound - first, 0) / span, Self.fanOut)
        let high = min((max(numbers.upperBound - first, 0) + span - 1) / span, Self.fanOut)
        for slot in low..<max(low, high) {
            guard let child = Page(bitPattern: Self.words(page)[slot]) else { continue }
            guard try visitLeaves(child, level: level - 1, first: first + slot * span, in: numbers, body) else { return false }
        }
        return true
    }

    private func visit<E: Error>(
        _ page: Page, level: Int, first: Int, from start: Int, _ body: (Int, UInt) throws(E) -> Bool
    ) throws(E) -> Bool {
        let span = 1 << (Self.bits * (level - 1))
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
