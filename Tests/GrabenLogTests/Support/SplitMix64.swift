import GrabenFixtures

extension SplitMix64 {
    mutating func pick(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }
}
