/// A pattern of LIKE (D8): `*` any run, `?` one scalar, a backslash before either takes its meaning away.
struct LikePattern {
    private enum Element: Equatable {
        case scalar(Unicode.Scalar)
        case one
        case run
    }
    private var elements: [Element] = []

    init(_ pattern: String) {
        var escaped = false
        for scalar in pattern.unicodeScalars {
            if escaped {
                elements.append(.scalar(scalar))
                escaped = false
            } else if scalar == "\\" {
                escaped = true
            } else if scalar == "*" {
                if elements.last != .run { elements.append(.run) }
            } else {
                elements.append(scalar == "?" ? .one : .scalar(scalar))
            }
        }
        // A backslash at the end has nothing to make literal but itself.
        if escaped { elements.append(.scalar("\\")) }
    }

    /// The text every match begins with.
    var literalPrefix: String {
        var prefix = String.UnicodeScalarView()
        for element in elements {
            guard case .scalar(let scalar) = element else { break }
            prefix.append(scalar)
        }
        return String(prefix)
    }

    /// Whether the whole text fits. Only the last run is ever tried again, so the time is at most the product of the two lengths.
    func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        var place = scalars.startIndex
        var element = 0
        var retry: (element: Int, place: String.UnicodeScalarView.Index)?
        while place < scalars.endIndex {
            if element < elements.count {
                switch elements[element] {
                case .run:
                    element += 1
                    if element == elements.count { return true }
                    retry = (element, place)
                    continue
                case .one:
                    element += 1
                    place = scalars.index(after: place)
                    continue
                case .scalar(let scalar):
                    if scalars[place] == scalar {
                        element += 1
                        place = scalars.index(after: place)
                        continue
                    }
                }
            }
            guard let again = retry else { return false }
            let next = scalars.index(after: again.place)
            retry = (again.element, next)
            element = again.element
            place = next
        }
        while element < elements.count, elements[element] == .run { element += 1 }
        return element == elements.count
    }
}
