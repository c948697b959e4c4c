import FoundationEssentials

/// How much of a long campaign a run of the tests does. The run under a sanitizer, which is slow and looks for something else, does less.
enum TestShare {
    static let isBrief = ProcessInfo.processInfo.environment["GRABEN_BRIEF"] != nil
}
