extension SwiftGenerator {
    private static let foundationTypes: Set<String> = ["Data", "Date", "Decimal", "URL", "UUID"]

    /// Writes the imports of a file. One is public where a public declaration names something of the module, and only there: the compiler
    /// warns of the others.
    func writeImports(of plans: [ClassPlan], _ composites: [CompositePlan], _ content: String, holdsModel: Bool, to text: inout SwiftText) {
        // Which modules a file needs follows from its words; one too many, where a name only looks like one of theirs, does no harm.
        let words = Set(content.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        func named(_ access: SwiftAccess) -> Set<String> {
            let classes = plans.filter { $0.access == access }.flatMap { members[$0.entity.index].flatMap(\.types) + [$0.superclass] }
            return Set(classes + composites.filter { $0.access == access }.flatMap(\.types))
        }
        let byPublic = named(.public)
        let byPackage = named(.package)
        func level(_ isNamed: (Set<String>) -> Bool) -> String { isNamed(byPublic) ? "public " : isNamed(byPackage) ? "package " : "" }
        if !words.isDisjoint(with: Self.foundationTypes) {
            let level = level { !$0.isDisjoint(with: Self.foundationTypes) }
            text.line("#if canImport(FoundationEssentials)")
            text.line("    \(level)import FoundationEssentials")
            text.line("#else")
            text.line("    \(level)import Foundation")
            text.line("#endif")
        }
        let accesses = Set(plans.map(\.access) + (holdsModel ? [modelAccess] : []))
        if !accesses.isEmpty || words.contains("missingPrimitive") {
            text.line("\(accesses.contains(.public) ? "public " : accesses.contains(.package) ? "package " : "")import Graben")
        }
        for module in Set(self.plans.compactMap(\.module)).sorted() where words.contains(module) {
            text.line("\(level { $0.contains { $0.hasPrefix(module + ".") } })import \(module)")
        }
    }
}
