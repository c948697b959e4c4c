import GrabenLog

extension CompiledTest {
    /// A comparison of an attribute with a constant, which is folded already; nil where stored bytes cannot answer it.
    ///
    /// Everything here must say what `OperandComparer` says of the value (D1, D2, D5-D8, D22, D24).
    static func comparison(
        _ operation: PredicateOperator, _ options: PredicateStringOptions, _ constant: Operand, _ family: PredicateFamily,
        leaf: (StoredForm) -> CompiledTest
    ) -> CompiledTest? {
        switch operation {
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
            if constant.isNull {
                // Only nil equals nil, and no order has it (D1).
                return operation == .less || operation == .greater ? .constant(false) : leaf(.isNull)
            }
            switch family {
            case .number: return numbers(operation, constant, leaf)
            case .date: return dates(operation, constant, leaf)
            case .string: return text(operation, options, constant, leaf)
            case .data, .uuid: return nil
            }
        case .between:
            guard case .collection(let bounds) = constant, bounds.elements.count == 2 else { return nil }
            let (low, high) = (bounds.elements[0], bounds.elements[1])
            if low.isNull || high.isNull { return .constant(false) }
            return between(low, high, family, leaf)
        case .in:
            guard case .collection(let list) = constant, list.origin != .path else { return nil }
            return member(list.elements, options, family, leaf)
        case .beginsWith, .endsWith, .contains, .like:
            guard family == .string else { return nil }
            return text(operation, options, constant, leaf)
        case .notEqual, .matches: return nil
        }
    }

    private static func numbers(
        _ operation: PredicateOperator, _ constant: Operand, _ leaf: (StoredForm) -> CompiledTest
    ) -> CompiledTest? {
        // Of another family: equal to nothing, and without order, which is an error the interpreter words.
        guard let number = constant.number else { return operation == .equal && constant.value != nil ? .constant(false) : nil }
        guard let integers = NumberBounds.integers(operation, number), let doubles = NumberBounds.doubles(operation, number) else {
            return nil
        }
        return leaf(.numbers(FieldNumbers(integers: integers, doubles: doubles)))
    }

    private static func dates(
        _ operation: PredicateOperator, _ constant: Operand, _ leaf: (StoredForm) -> CompiledTest
    ) -> CompiledTest? {
        guard case .date(let seconds) = constant else { return operation == .equal && constant.value != nil ? .constant(false) : nil }
        guard let doubles = NumberBounds.doubles(operation, .double(seconds)) else { return nil }
        return leaf(.numbers(FieldNumbers(integers: [], doubles: doubles)))
    }

    private static func between(
        _ low: Operand, _ high: Operand, _ family: PredicateFamily, _ leaf: (StoredForm) -> CompiledTest
    ) -> CompiledTest? {
        switch family {
        case .number, .date:
            var found: [FieldNumbers] = []
            for (operation, bound) in [(PredicateOperator.greaterOrEqual, low), (.lessOrEqual, high)] {
                let test = family == .date ? dates(operation, bound, leaf) : numbers(operation, bound, leaf)
                guard case .attribute(let attribute) = test, case .numbers(let numbers) = attribute.form else { return nil }
                found.append(numbers)
            }
            let (a, b) = (found[0], found[1])
            return leaf(
                .numbers(
                    FieldNumbers(
                        integers: NumberBounds.both(a.integers, b.integers), doubles: NumberBounds.both(a.doubles, b.doubles))))
        case .string:
            guard case .string(let low) = low, case .string(let high) = high else { return nil }
            let (least, greatest) = (Array(low.utf8), Array(high.utf8))
            return leaf(
                .text(.bytes { text in TextSearch.order(text, least) >= 0 && TextSearch.order(text, greatest) <= 0 }))
        case .data, .uuid: return nil
        }
    }

    /// IN with a list: equal to one of its members; members of another family are equal to nothing.
    private static func member(
        _ members: [Operand], _ options: PredicateStringOptions, _ family: PredicateFamily, _ leaf: (StoredForm) -> CompiledTest
    ) -> CompiledTest? {
        var integers: [ClosedRange<Int64>] = []
        var doubles: [ClosedRange<Double>] = []
        var texts: Set<ByteString> = []
        for member in members where !member.isNull {
            if member.value == nil { return nil }
            switch family {
            case .number:
                guard let number = member.number else { continue }
                guard let whole = NumberBounds.integers(.equal, number), let real = NumberBounds.doubles(.equal, number) else { return nil }
                integers += whole
                doubles += real
            case .date: if case .date(let seconds) = member { doubles += NumberBounds.doubles(.equal, .double(seconds)) ?? [] }
            case .string: if case .string(let text) = member { texts.insert(ByteString(text: text)) }
            case .data, .uuid: return nil
            }
        }
        var tests: [CompiledTest] = []
        if members.contains(where: \.isNull) { tests.append(leaf(.isNull)) }
        if family != .string {
            let numbers = FieldNumbers(integers: NumberBounds.union(integers), doubles: NumberBounds.union(doubles))
            if !numbers.doubles.isEmpty || !numbers.integers.isEmpty { tests.append(leaf(.numbers(numbers))) }
        } else if let first = texts.first {
            if texts.count == 1, options.folding.isEmpty {
                tests.append(leaf(.text(.equal(Array(first.text.utf8)))))
            } else {
                let list = TextList(texts.map { Array($0.text.utf8) })
                let isListed: @Sendable (UnsafeRawBufferPointer) -> Bool = { list.contains($0) }
                tests.append(leaf(.text(.bytes(options.folding.isEmpty ? isListed : folding(options, isListed)))))
            }
        }
        return .disjunction(tests)
    }

    private static func text(
        _ operation: PredicateOperator, _ options: PredicateStringOptions, _ constant: Operand, _ leaf: (StoredForm) -> CompiledTest
    ) -> CompiledTest? {
        guard case .string(let text) = constant else {
            if operation == .equal, constant.value != nil { return .constant(false) }
            // No text begins with nil, ends with it or has it inside.
            return constant.isNull && operation.isTextual ? .constant(false) : nil
        }
        let bytes = Array(text.utf8)
        let isPlain = options.folding.isEmpty
        let test: @Sendable (UnsafeRawBufferPointer) -> Bool
        switch operation {
        case .equal:
            if isPlain { return leaf(.text(.equal(bytes))) }
            test = { $0.elementsEqual(bytes) }
        case .beginsWith:
            if isPlain { return leaf(.text(.prefix(bytes))) }
            test = { $0.starts(with: bytes) }
        case .endsWith: test = { $0.count >= bytes.count && $0.suffix(bytes.count).elementsEqual(bytes) }
        case .contains:
            test = { text in
                bytes.withUnsafeBufferPointer { ByteSearch.find($0, in: text.assumingMemoryBound(to: UInt8.self)) != nil }
            }
        case .like:
            let pattern = LikePattern(text)
            guard pattern.refusal == nil else { return nil }
            test = { pattern.matches($0.assumingMemoryBound(to: UInt8.self)) }
        case .less: test = { TextSearch.order($0, bytes) < 0 }
        case .lessOrEqual: test = { TextSearch.order($0, bytes) <= 0 }
        case .greater: test = { TextSearch.order($0, bytes) > 0 }
        case .greaterOrEqual: test = { TextSearch.order($0, bytes) >= 0 }
        default: return nil
        }
        return leaf(.text(.bytes(isPlain ? test : folding(options, test))))
    }

    /// A test of a text's folded form: in place where the text is in ASCII and has nothing to fold.
    private static func folding(
        _ options: PredicateStringOptions, _ test: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) -> @Sendable (UnsafeRawBufferPointer) -> Bool {
        let foldsCase = options.contains(.caseInsensitive)
        return { text in
            var isASCII = true
            var hasUpper = false
            for byte in text {
                if byte >= 0x80 {
                    isASCII = false
                    break
                }
                if byte >= 0x41, byte <= 0x5A { hasUpper = true }
            }
            if isASCII {
                guard hasUpper, foldsCase else { return test(text) }
                return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { folded in
                    for place in 0..<text.count {
                        let byte = text[place]
                        folded[place] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                    }
                    return test(UnsafeRawBufferPointer(folded))
                }
            }
            var folded = TextFolding.fold(String(decoding: text, as: UTF8.self), options)
            return folded.withUTF8 { test(UnsafeRawBufferPointer($0)) }
        }
    }
}

/// Texts by their bytes, found by halving.
private struct TextList: Sendable {
    private let texts: [[UInt8]]

    init(_ texts: [[UInt8]]) { self.texts = texts.sorted { $0.lexicographicallyPrecedes($1) } }

    func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        var low = 0
        var high = texts.count
        while low < high {
            let middle = (low + high) / 2
            let order = TextSearch.order(text, texts[middle])
            if order == 0 { return true }
            if order > 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}

extension TextSearch {
    /// Below 0 where the text stands before the other.
    static func order(_ text: UnsafeRawBufferPointer, _ other: [UInt8]) -> Int {
        let shared = min(text.count, other.count)
        for place in 0..<shared where text[place] != other[place] { return text[place] < other[place] ? -1 : 1 }
        return text.count - other.count
    }
}

extension PredicateOperator {
    fileprivate var isTextual: Bool { self == .beginsWith || self == .endsWith || self == .like || self == .contains }
}
