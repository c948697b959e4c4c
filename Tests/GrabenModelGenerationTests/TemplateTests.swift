import GrabenModel
import GrabenModelGeneration
import Testing

@Suite("Fetch request templates")
struct TemplateTests {
    private func head(_ format: String?, sort: [String] = []) throws -> String {
        var model = Samples.everything
        model.fetchRequestTemplates = [
            FetchRequestTemplate("found", FetchRequestDescription("Item", predicateFormat: format, sort: sort, limit: 5))
        ]
        let text = try SwiftGenerator(model, SwiftOptions(modelTypeName: "TestModel")).file(header: "").text
        return text.split(separator: "\n").first { $0.contains("func fetchFound") }.map { String($0.drop { $0 == " " }) } ?? ""
    }

    @Test(
        "variables have the types of what they are compared with",
        arguments: [
            ("stringValue == $name", "name: String"), ("$name BEGINSWITH stringValue", "name: String"), ("owner == $owner", "owner: Node"),
            ("int16Value BETWEEN {$low, $high}", "low: Int16, high: Int16"), ("int16Value BETWEEN $range", "range: ClosedRange<Int16>"),
            ("dateValue IN $days", "days: [Date]"), ("$peer IN peers", "peer: Item"), ("ANY steps.label == $label", "label: String"),
            ("peers.@count > $count", "count: Int"), ("uriValue == $uri", "uri: String"),
            ("SELF != $self1 AND owner.label == $label", "self1: Item, label: String"),
            ("stringValue == $a OR int16Value == $a", "a: (any PredicateArgument)?"),
            ("int16Value + $more > 3", "more: (any PredicateArgument)?"),
            ("SUBQUERY(peers, $p, $p.stringValue == $name).@count > 0", "name: (any PredicateArgument)?"),
            ("stringValue == $in", "`in`: String"),
            ("boolean" + "Value == $flag AND floatValue < $least", "flag: Bool, least: Float"),
        ])
    func types(format: String, parameters: String) throws {
        #expect(try head(format) == "static func fetchFound(\(parameters)) throws(GrabenError) -> FetchRequest<Item> {")
    }

    @Test("a template without a predicate makes its request without an error")
    func withoutPredicate() throws {
        #expect(try head(nil, sort: ["-stringValue", "int16Value"]) == "static func fetchFound() -> FetchRequest<Item> {")
    }

    @Test("requests of every kind compile", .enabled(if: Compiler.isAvailable))
    func compiling() throws {
        var model = Samples.everything
        model.fetchRequestTemplates = [
            FetchRequestTemplate("all", FetchRequestDescription("Item")),
            FetchRequestTemplate("fetchFew", FetchRequestDescription("Middle", limit: 3)),
            FetchRequestTemplate(
                "byOwner",
                FetchRequestDescription(
                    "Item", predicateFormat: "owner == $owner AND dateValue IN $days AND stringValue LIKE $in", sort: ["-stringValue"],
                    limit: 1,
                    offset: 2, includesSubentities: false, includesPendingChanges: false, returnsObjectsAsFaults: false)),
        ]
        for access in SwiftAccess.allCases {
            let text = try SwiftGenerator(model, SwiftOptions(access: access, modelTypeName: "TestModel")).file(header: "").text
            try Compiler.expectNoComplaint(
                ["a.swift": text, "b.swift": Samples.byHand(access == .internal ? "" : access.rawValue)],
                flags: ["-package-name", "client"])
        }
    }
}
