extension SwiftGenerator {
    private static let foundationTypes: Set<String> = ["Data", "Date", "Decimal", "URL", "UUID"]

    /// Writes the imports of a file.
    ///
    /// An import is public where a public declaration names something of the module, and only there: the compiler warns of the others. That
    /// is said only where imports are internal unless said otherwise; elsewhere it would clash with plain imports in other files.
    func writeImports(
        of plans: [ClassPlan], _ composites: [CompositePlan], _ content: String, holdsModel: Bool, to text: inout SwiftText
    ) {
        // Which modules a file needs follows from its words; one too many, where a name only looks like one of theirs, does no harm.
        let words = Set(content.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        func named(_ access: SwiftAccess) -> Set<String> {
            let classes = plans.filter { $0.access == access }.flatMap { members[$0.entity.index].flatMap(\.types) + [$0.superclass] }
            return Set(classes + composites.filter { $0.access == access }.flatMap(\.types))
        }
        let byPublic = named(.public)
        let byPackage = named(.package)
        func access(_ isNamed: (Set<String>) -> Bool) -> SwiftAccess {
            isNamed(byPublic) ? .public : isNamed(byPackage) ? .package : .internal
        }
        var imports: [(module: String, access: SwiftAccess)] = []
        if !words.isDisjoint(with: Self.foundationTypes) {
            imports.append(("Foundation", access { !$0.isDisjoint(with: Self.foundationTypes) }))
        }
        let all = plans.map(\.access) + (holdsModel ? [modelAccess] : [])
        if !all.isEmpty { imports.append(("Graben", all.contains(.public) ? .public : all.contains(.package) ? .package : .internal)) }
        for module in Set(self.plans.compactMap(\.module)).sorted() where words.contains(module) {
            imports.append((module, access { $0.contains { $0.hasPrefix(module + ".") } }))
        }
        if imports.contains(where: { $0.access != .internal }) {
            text.line("#if hasFeature(InternalImportsByDefault)")
            write(imports.map { ($0.module, $0.access.prefix) }, to: &text)
            text.line("#else")
            write(imports.map { ($0.module, "") }, to: &text)
            text.line("#endif")
        } else {
            write(imports.map { ($0.module, "") }, to: &text)
        }
    }

    private func write(_ imports: [(module: String, prefix: String)], to text: inout SwiftText) {
        for (module, prefix) in imports {
            guard module == "Foundation" else {
                text.line("\(prefix)import \(module)")
                continue
            }
            text.line("#if canImport(FoundationEssentials)")
            text.line("\(prefix)import FoundationEssentials")
            text.line("#else")
            text.line("\(prefix)import Foundation")
            text.line("#endif")
        }
    }
}
