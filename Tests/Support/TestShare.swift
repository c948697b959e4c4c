internal import FoundationEssentials

/// How much of a long campaign a run of the tests does. The run under a sanitizer, which is slow and looks for something else, does less.
package enum TestShare {
    package static let isBrief = ProcessInfo.processInfo.environment["GRABEN_BRIEF"] != nil

    /// Of cases that are alike but for chance: all, or where the run is to be brief the first ones.
    package static func of<Case>(_ cases: [Case], brief: Int) -> [Case] { isBrief ? Array(cases.prefix(brief)) : cases }

    /// Of steps of a random life: all, or where the run is to be brief so many.
    package static func steps(_ all: Int, brief: Int) -> Int { isBrief ? brief : all }
}
