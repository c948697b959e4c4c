/// The name in `names` most like `name`, where one is like it enough to be what was meant; ties go to the first.
///
/// Complexity: the product of the lengths for each name, so it is for messages only. Names over 64 characters are never suggested.
package func nearestName(to name: String, in names: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in names {
        let other = Array(candidate.lowercased().unicodeScalars)
        guard !other.isEmpty, other.count <= 64 else { continue }
        let distance = editDistance(wanted, other)
        guard distance <= max(1, max(wanted.count, other.count) / 3) else { continue }
        if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
}

/// Insertions, removals, replacements and swaps of neighbours that lead from one to the other.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforePrevious = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var cost = min(row[j] + 1, previous[j + 1] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforePrevious[j - 1] + 1) }
            row.append(cost)
        }
        (beforePrevious, previous) = (previous, row)
    }
    return previous[b.count]
}
