/// Divides marks by color: numbers into ranges of about equal numbers of marks, other values one by one.
struct ColorBuckets {
    struct Bucket {
        let color: String
        /// nil in a drawing of one color.
        let label: String?
        var marks: [Drawing.Mark] = []
    }

    private(set) var buckets: [Bucket]

    private static let scale = ["#3b1f6b", "#3d4d8f", "#2f7291", "#249485", "#45b26b", "#8cbf3f", "#d3a828", "#d9682b"]
    private static let distinct = ["#1f6f9c", "#d9682b", "#2f8f5b", "#9c4f96", "#b8952a", "#5b6ad0", "#8a4b33", "#4c9aa8"]
    private static let single = "#1c5d8a"
    private static let none = "#9a9a9a"

    init(_ marks: [Drawing.Mark], isColored: Bool) {
        guard isColored else {
            buckets = [Bucket(color: Self.single, label: nil, marks: marks)]
            return
        }
        let numbers = marks.compactMap(\.color.number).sorted()
        if numbers.isEmpty { buckets = Self.byValue(marks) } else { buckets = Self.byNumber(marks, numbers) }
        buckets.removeAll { $0.marks.isEmpty }
    }

    private static func byNumber(_ marks: [Drawing.Mark], _ numbers: [Double]) -> [Bucket] {
        // The least number of each bucket; equal numbers are never divided.
        var bounds: [Double] = []
        for part in 0..<scale.count {
            let bound = numbers[part * numbers.count / scale.count]
            if bounds.last != bound { bounds.append(bound) }
        }
        var buckets = bounds.enumerated().map { place, bound in
            let index = bounds.count == 1 ? 0 : place * (scale.count - 1) / (bounds.count - 1)
            let next = place + 1 < bounds.count ? bounds[place + 1] : numbers[numbers.count - 1]
            let label = next == bound ? short(bound) : "\(short(bound)) – \(short(next))"
            return Bucket(color: scale[index], label: label)
        }
        var without = Bucket(color: none, label: "no value")
        for mark in marks {
            guard let number = mark.color.number, let place = bounds.lastIndex(where: { $0 <= number }) else {
                without.marks.append(mark)
                continue
            }
            buckets[place].marks.append(mark)
        }
        return [without] + buckets
    }

    private static func byValue(_ marks: [Drawing.Mark]) -> [Bucket] {
        var counts: [String: Int] = [:]
        for case let text? in marks.lazy.map(\.color.text) { counts[text, default: 0] += 1 }
        let kept = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(distinct.count).map(\.key)
        var buckets = kept.enumerated().map { Bucket(color: distinct[$0], label: $1.cut(to: 16)) }
        var others = Bucket(color: none, label: counts.count > kept.count ? "others" : "no value")
        for mark in marks {
            if let text = mark.color.text, let place = kept.firstIndex(of: text) {
                buckets[place].marks.append(mark)
            } else {
                others.marks.append(mark)
            }
        }
        return [others] + buckets
    }

    private static func short(_ number: Double) -> String {
        let rounded = abs(number) < 1e9 ? (number * 100).rounded() / 100 : number
        return PlainText.number(rounded)
    }
}
