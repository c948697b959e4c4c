/// `ky10.expected.json`: figures computed from the tables with dictionaries and brute force, in another language.
struct Expected: Decodable {
    struct Range: Decodable {
        let min: Double
        let max: Double
    }
    struct Box: Decodable {
        let x: Range
        let y: Range
        let z: Range
    }
    struct Counts: Decodable {
        let joints: Int
        let lines: Int
        /// By entity and kind.
        let kinds: [String: [String: Int]]

        enum CodingKeys: String, CodingKey {
            case joints = "Joint"
            case lines = "Line"
            case kinds
        }
    }
    struct Busiest: Decodable {
        let name: String
        let degree: Int
        let position: [Double]
        let incoming: [String]
        let outgoing: [String]
        let nearby: [String]
        let neighbours: [String]
        let withThisDegree: [String]
    }

    let boundingBox: Box
    let counts: Counts
    /// The joint with most lines, the first by name where several have as many.
    let busiest: Busiest
    /// How many joints have so many lines.
    let degrees: [String: Int]
}
