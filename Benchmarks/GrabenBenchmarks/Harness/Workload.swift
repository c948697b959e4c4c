/// Who does the work.
enum Side: String, CaseIterable {
    case graben, sqlite, lmdb, bare
}

/// What one run gave: a figure in the base unit (nanoseconds, bytes, or commits), and what it read, to be checked.
struct Outcome {
    var figure: Double
    var check: Double?

    init(_ figure: Double, check: Double? = nil) {
        self.figure = figure
        self.check = check
    }
}

/// One side's way of doing a workload. `run` does it once and times what counts.
struct Contender {
    let side: Side
    let run: () throws -> Outcome
}

/// The unit a workload's figures are shown in, and how many of the base unit it has.
struct Unit {
    let name: String
    let size: Double

    static let milliseconds = Unit(name: "ms", size: 1e6)
    static let microseconds = Unit(name: "us", size: 1e3)
    static let bytes = Unit(name: "bytes", size: 1)
    static let commitsPerSync = Unit(name: "commits/sync", size: 1)

    /// Nanoseconds an object, of so many.
    static func each(_ count: Int, name: String = "ns/object") -> Unit { Unit(name: name, size: Double(count)) }
}

/// What Graben must reach (design.md §9), all of them upper bounds but `atLeast`.
enum Target {
    /// At most so many times the figure of one side.
    case times(Double, Side)
    case atMost(Double)
    case atLeast(Double)
    case none

    func isMet(by figure: Double, peers: [Side: Double]) -> Bool? {
        switch self {
        case .times(let factor, let side): peers[side].map { figure <= factor * $0 }
        case .atMost(let limit): figure <= limit
        case .atLeast(let limit): figure >= limit
        case .none: nil
        }
    }

    var text: String {
        switch self {
        case .times(let factor, let side) where factor < 1: "<= \(side.rawValue) / \(Report.short(1 / factor))"
        case .times(let factor, let side): "<= \(Report.short(factor)) x \(side.rawValue)"
        case .atMost(let limit): "<= \(Report.short(limit))"
        case .atLeast(let limit): ">= \(Report.short(limit))"
        case .none: ""
        }
    }
}

/// One way to run a workload where it has several; the one with the worst ratio counts.
struct Variant {
    var label = ""
    let unit: Unit
    /// What every contender must have read (relative difference at most 1e-9, for sums add up in different orders); nil where nothing is read.
    var expected: Double?
    let contenders: [Contender]
}

/// A line of the table: a name, what must be reached, and who does it how.
struct Workload {
    let name: String
    let target: Target
    var rounds = 5
    /// Whether each measurement follows an untimed run of the same work ("after the first touch"), where that is short.
    var isWarmed = false
    /// Makes stores, objects and contenders ready; called once, when the workload's turn has come.
    let prepare: (Bench) throws -> [Variant]
}
