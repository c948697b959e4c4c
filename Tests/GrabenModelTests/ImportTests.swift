import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

/// Reads a model whose one entity `Pipe` begins in line 2 and holds `inner` from line 3 on.
func imported(entity inner: String) throws -> ImportedModel {
    try imported("<model>\n<entity name=\"Pipe\">\n\(inner)\n</entity>\n</model>")
}

func imported(_ text: String) throws -> ImportedModel {
    try ImportedModel(xml: text.utf8, name: "Town", file: "Town.xml")
}

@Suite struct ImportTests {
    private func entity(_ inner: String) throws -> EntityDescription {
        let imported = try imported(entity: inner)
        #expect(imported.warnings == [])
        return imported.model.entities[0]
    }

    private func attribute(_ rest: String) throws -> AttributeDescription {
        try entity("<attribute name=\"a\" \(rest)/>").attributes[0]
    }

    @Test("every type of attribute is read with the default its text spells")
    func types() throws {
        for (type, text, value) in [
            ("Integer 16", "-7", .int(-7)), ("Integer 32", "+8", .int(8)), ("Integer 64", "9223372036854775807", .int(.max)),
            ("Integer 16", "0.0", .int(0)), ("Integer 64", "1e3", .int(1000)), ("Double", "-0.5", .double(-0.5)),
            ("Double", "-inf", .double(-.infinity)), ("Float", "0.1", .float(0.1)), ("Boolean", "YES", .bool(true)),
            ("Boolean", "false", .bool(false)), ("Boolean", "1", .bool(true)), ("String", "", .string("")),
            ("String", " a ", .string(" a ")),
            ("URI", "urn:x", .uri("urn:x")), ("Date", "2001-01-02 00:00:00 +0000", .date(Date(timeIntervalSinceReferenceDate: 86_400))),
        ] as [(String, String, Value)] {
            let read = try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"")
            #expect(read.defaultValue == value && !read.isOptional, "\(type) \(text)")
        }
        // Through a Double it would be 0.1000000000000000055….
        #expect(try attribute("attributeType=\"Decimal\" defaultValueString=\"0.1\"").defaultValue == .decimal(Decimal(1) / 10))
        let id = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        #expect(try attribute("attributeType=\"UUID\" defaultValueString=\"\(id)\"").defaultValue == UUID(uuidString: id).map { .uuid($0) })
        #expect(try attribute("attributeType=\"Binary\"").type == .data)
        #expect(try attribute("attributeType=\"Integer 16\" defaultValueString=\"\"").defaultValue == nil)
    }

    @Test("of dates the numbers count and the texts beside them are for people; of strings bounds are lengths")
    func bounds() throws {
        let date = try attribute(
            """
            attributeType="Date" defaultDateTimeInterval="-725882400.5" defaultValueString="whenever" minDateTimeInterval="0"
            minValueString="?" maxValueString="2001-01-01 01:00"
            """)
        #expect(date.defaultValue == .date(Date(timeIntervalSinceReferenceDate: -725_882_400.5)))
        #expect(date.minimum == .date(Date(timeIntervalSinceReferenceDate: 0)))
        #expect(date.maximum == .date(Date(timeIntervalSinceReferenceDate: 3_600)))
        let text = try attribute("attributeType=\"String\" minValueString=\"2\" maxValueString=\"9\" regularExpressionString=\"[a-z]+\"")
        #expect(text.minimumLength == 2 && text.maximumLength == 9 && text.minimum == nil && text.regularExpression == "[a-z]+")
        let number = try attribute("attributeType=\"Float\" minValueString=\"-2.5\" maxValueString=\"2.5\"")
        #expect(number.minimum == .float(-2.5) && number.maximum == .float(2.5))
    }

    @Test("everything an attribute can say is read")
    func attributes() throws {
        let read = try attribute(
            """
            optional="YES" transient="NO" attributeType="Transformable" valueTransformerName="Pack" customClassName="[String]"
            allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES" usesScalarValueType="NO" elementID="old"
            versionHashModifier="2" syncable="YES"
            """)
        #expect(
            read
                == AttributeDescription(
                    "a", .transformable, allowsExternalStorage: true, isPreservedAfterDeletion: true, valueTransformerName: "Pack",
                    valueClassName: "[String]", usesScalarType: false, versionHashModifier: "2", renamingIdentifier: "old"))
        #expect(
            try attribute("attributeType=\"String\" derived=\"YES\" derivationExpression=\"canonical:(title)\"").derivation
                == .value(["title"], .canonical))
        let packed = try entity(
            """
            <attribute name="x" attributeType="Double"><userInfo><entry key="graben.packed" value="YES"/><entry key="n" value="1"/></userInfo></attribute>
            <attribute name="d" attributeType="Binary"><userInfo><entry key="graben.default" value="AQI="/></userInfo></attribute>
            """
        ).attributes
        #expect(packed[0].isPacked && packed[0].userInfo == ["n": "1"] && packed[1].defaultValue == .data(Data([1, 2])))
    }

    @Test("what older tools say of storage is kept and needs no word")
    func silent() throws {
        let read = try attribute("attributeType=\"Binary\" storedInTruthFile=\"YES\" spotlightIndexingEnabled=\"NO\" indexed=\"NO\"")
        #expect(read.foreign == ForeignContent(attributes: ["storedInTruthFile": "YES", "spotlightIndexingEnabled": "NO"]))
    }

    @Test("relationships are read with their counts, rules and inverses")
    func relationships() throws {
        let read = try entity(
            """
            <relationship name="start" maxCount="1" deletionRule="Nullify" destinationEntity="Joint" inverseName="pipes" inverseEntity="Joint"/>
            <relationship name="parts" optional="YES" toMany="YES" minCount="2" maxCount="9" ordered="YES" deletionRule="Cascade"
                destinationEntity="Part" elementID="pieces" versionHashModifier="3"><userInfo><entry key="k" value="v"/></userInfo></relationship>
            <relationship name="marks" optional="YES" toMany="YES" destinationEntity="Mark" indexed="YES"/>
            """
        ).relationships
        #expect(read[0] == RelationshipDescription("start", to: "Joint", inverse: "pipes", isOptional: false))
        #expect(
            read[1]
                == RelationshipDescription(
                    "parts", to: "Part", isToMany: true, isOrdered: true, minCount: 2, maxCount: 9, deleteRule: .cascade,
                    versionHashModifier: "3", renamingIdentifier: "pieces", userInfo: ["k": "v"]))
        #expect(read[2].deleteRule == .noAction && read[2].foreign.attributes == ["indexed": "YES"])
    }

    @Test("a fetched property keeps every option of its request, and its order from userInfo")
    func fetchedProperties() throws {
        let read = try entity(
            """
            <fetchedProperty name="near" optional="YES">
            <fetchRequest name="fetchedPropertyFetchRequest" entity="Joint" predicateString="x &gt; $FETCH_SOURCE.x &amp;&amp; n == &quot;a&quot;"
                fetchLimit="9" fetchBatchSize="4" includeSubentities="NO" includePropertyValues="NO" includesPendingChanges="NO"
                returnObjectsAsFaults="NO" returnDistinctResults="YES" resultType="0"/>
            <userInfo><entry key="sort" value="name, -z:natural"/><entry key="graben.offset" value="3"/>
                <entry key="graben.autoRefresh" value="YES"/><entry key="note" value="n"/></userInfo>
            </fetchedProperty>
            """
        ).fetchedProperties[0]
        #expect(
            read
                == FetchedPropertyDescription(
                    "near",
                    FetchRequestDescription(
                        "Joint", predicateFormat: "x > $FETCH_SOURCE.x && n == \"a\"", sort: ["name", "-z:natural"], limit: 9, offset: 3,
                        batchSize: 4, includesSubentities: false, includesPropertyValues: false, includesPendingChanges: false,
                        returnsObjectsAsFaults: false, returnsDistinctResults: true),
                    autoRefresh: true, userInfo: ["note": "n"]))
        let plain = try entity(
            "<fetchedProperty name=\"all\"><fetchRequest name=\"fetchedPropertyFetchRequest\" entity=\"Pipe\"/></fetchedProperty>")
        #expect(plain.fetchedProperties == [FetchedPropertyDescription("all", of: "Pipe")])
    }

    @Test("new, compound and single old indexes and uniqueness constraints are read, each index once")
    func indexes() throws {
        let read = try entity(
            """
            <attribute name="name" attributeType="String" indexed="YES"/>
            <attribute name="date" attributeType="Date" indexed="YES"/>
            <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="place" partialIndexPredicate="x &gt; 0"><fetchIndexElement property="x" type="RTree" order="ascending"/>
                <fetchIndexElement expression="x + y" expressionType="Double" type="Binary" order="descending"/></fetchIndex>
            <compoundIndexes><compoundIndex><index value="name"/><index value="date"/></compoundIndex>
                <compoundIndex><index value="date"/></compoundIndex></compoundIndexes>
            <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="date"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="date"/></uniquenessConstraint></uniquenessConstraints>
            """)
        #expect(
            read.indexes == [
                IndexDescription("byName", on: "name"),
                IndexDescription(
                    "place", [.init("x", kind: .spatial), .init(.expression("x + y", .double), isAscending: false)],
                    partialPredicateFormat: "x > 0"),
                IndexDescription("byNameAndDate", on: "name", "date"), IndexDescription("byDate", on: "date"),
            ])
        #expect(read.uniquenessConstraints == [["name", "date"], ["date"]])
    }

    @Test("entities, composites, templates, configurations and the drawing of a model are read")
    func model() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="2" \
            minimumToolsVersion="Automatic" sourceLanguage="Objective-C" userDefinedModelVersionIdentifier="v7" usedWithCloudKit="true">
                <entity name="Joint" representedClassName=".Knot" parentEntity="Item" isAbstract="YES" elementID="Node" versionHashModifier="4" \
            codeGenerationType="category" syncable="YES">
                    <userInfo><entry key="a.b &quot;c&quot;" value=""/></userInfo>
                </entity>
                <entity name="Item" representedClassName="NSManagedObject"/>
                <composite name="Place"><attribute name="lat" attributeType="Double"/><attribute name="in" attributeType="Composite" composite="Empty"/></composite>
                <composite name="Empty"/>
                <fetchRequest name="high" entity="Joint" predicateString="z > $z" resultType="4" sort="-z" fetchOffset="2"/>
                <configuration name="Main" usedWithCloudKit="YES"><memberEntity name="Joint"/></configuration>
                <elements><element name="Joint" positionX="-1.5" positionY="0" width="128" height="45"/></elements>
            </model>
            """
        let imported = try imported(text)
        #expect(imported.warnings == [] && imported.name == "Town")
        let model = imported.model
        var joint = EntityDescription(
            "Joint", isAbstract: true, superentity: "Item", managedObjectClassName: ".Knot", codeGeneration: .categoryExtension,
            versionHashModifier: "4", renamingIdentifier: "Node", userInfo: ["a.b \"c\"": ""])
        #expect(model.entities == [joint, EntityDescription("Item")])
        joint.name = "Other"
        #expect(
            model.composites == [
                .init("Place", [.init("lat", .double, isOptional: false), .init("in", composite: "Empty", isOptional: false)]),
                .init("Empty"),
            ])
        #expect(
            model.fetchRequestTemplates == [
                .init("high", .init("Joint", predicateFormat: "z > $z", sort: ["-z"], offset: 2, result: .count))
            ])
        #expect(
            model.configurations.map(\.entities) == [["Joint"]] && model.configurations[0].foreign.attributes == ["usedWithCloudKit": "YES"]
        )
        #expect(model.versionIdentifier == "v7")
        // What the writer would say anyway is not kept.
        #expect(
            model.foreign.attributes == [
                "lastSavedToolsVersion": "1", "systemVersion": "2", "sourceLanguage": "Objective-C", "usedWithCloudKit": "true",
            ])
        #expect(
            model.foreign.elements.map(\.element.name) == ["elements"]
                && model.foreign.elements[0].element.children[0].attributes["positionX"] == "-1.5")
    }

    @Test("a byte order mark, UTF-16 and ISO 8859-1 are read as what they are")
    func encodings() throws {
        let text = "<model><entity name=\"Höhe\"/></model>"
        let utf16: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let latin = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>".utf8) + text.unicodeScalars.map { UInt8($0.value) }
        for bytes in [[0xEF, 0xBB, 0xBF] + Array(text.utf8), utf16, latin] {
            #expect(try ImportedModel(xml: bytes, name: "a", file: "a").model.entities.map(\.name) == ["Höhe"])
        }
    }
}
