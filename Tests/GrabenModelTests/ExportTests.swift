import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

@Suite struct ExportTests {
    private func back(_ data: Data) throws -> ImportedModel { try ImportedModel(xml: data, name: "Town", file: "Town.xml") }

    @Test("a model comes back from its model file the same, foreign content and all, and writes the same bytes again")
    func roundTrip() throws {
        var random = RandomModel(random: Seeded(state: 17), isForXML: true)
        for round in 0..<200 {
            let model = random.exportable()
            let data = try model.xcodeContents()
            let read = try back(data).model
            if read != model {
                let lines = try [model, read].map { try String(decoding: $0.jsonData(), as: UTF8.self).split(separator: "\n") }
                let difference = zip(lines[0], lines[1]).first { $0 != $1 }
                Issue.record("round \(round): \(difference.map { "\($0) came back as \($1)" } ?? "a line is missing")")
                return
            }
            #expect(try read.xcodeContents() == data)
            #expect(try ManagedObjectModel.load(json: read.jsonData()) == model)
        }
        #expect(try back(drawingModel().xcodeContents()).model == drawingModel())
    }

    @Test("the text beside a date is that date in UTC, and is read as it where the number is missing")
    func dateTexts() throws {
        var random = Seeded(state: 29)
        for round in 0..<300 {
            // From 1583, before which calendars disagree, to 9999.
            let seconds = round == 0 ? -1 : Double(Int.random(in: -13_190_000_000..<252_455_616_000, using: &random))
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let entity = EntityDescription("A", attributes: [.init("d", .date, defaultValue: .date(date))])
            let model = ManagedObjectModel(entities: [entity])
            let text = String(decoding: try model.xcodeContents(), as: UTF8.self)
            let note = date.formatted(.iso8601).replacing("T", with: " ").replacing("Z", with: " +0000")
            #expect(text.contains("defaultValueString=\"\(note)\""), "\(text)")
            let bare = text.replacing(try Regex("defaultDateTimeInterval=\"[-0-9]+\""), with: "")
            #expect(try back(Data(bare.utf8)).model == model, "\(note)")
            let shifted = bare.replacing("+0000", with: "-0130")
            let later = AttributeDescription("d", .date, defaultValue: .date(date.addingTimeInterval(5_400)))
            #expect(try back(Data(shifted.utf8)).model.entities[0].attributes == [later])
        }
    }

    @Test("a file is laid out as Xcode does")
    func layout() throws {
        var model = drawingModel()
        model.entities = [model.entities[1]]
        model.entities[0].indexes = [.init("byName", on: "name")]
        model.entities[0].attributes[0].defaultValue = "<&\">\n\t"
        model.fetchRequestTemplates = [.init("high", .init("Joint", predicateFormat: "z > $z && name == \"a\"", sort: ["-z"], limit: 3))]
        model.configurations = [.init("Main", entities: ["Joint"])]
        let text = String(decoding: try model.xcodeContents(), as: UTF8.self)
        let wanted = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" systemVersion="23E224" \
            minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
                <entity name="Joint" syncable="YES">
                    <attribute name="name" optional="YES" attributeType="String" defaultValueString="&lt;&amp;&quot;&gt;&#10;&#9;"/>
                    <attribute name="x" attributeType="Double">
                        <userInfo>
                            <entry key="graben.packed" value="YES"/>
                        </userInfo>
                    </attribute>
                    <attribute name="y" attributeType="Double">
                        <userInfo>
                            <entry key="graben.packed" value="YES"/>
                        </userInfo>
                    </attribute>
                    <attribute name="shade" optional="YES" transient="YES" attributeType="Integer 16"/>
                    <relationship name="outgoing" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Line" \
            inverseName="start" inverseEntity="Line"/>
                    <relationship name="layer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Layer" \
            inverseName="joints" inverseEntity="Layer"/>
                    <relationship name="marks" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Layer" \
            inverseName="marked" inverseEntity="Layer"/>
                    <fetchedProperty name="nearby" optional="YES">
                        <fetchRequest name="fetchedPropertyFetchRequest" entity="Joint" predicateString="SELF != $FETCH_SOURCE"/>
                        <userInfo>
                            <entry key="sort" value="name"/>
                        </userInfo>
                    </fetchedProperty>
                    <fetchIndex name="byName">
                        <fetchIndexElement property="name" type="Binary" order="ascending"/>
                    </fetchIndex>
                    <uniquenessConstraints>
                        <uniquenessConstraint>
                            <constraint value="name"/>
                        </uniquenessConstraint>
                    </uniquenessConstraints>
                </entity>
                <fetchRequest name="high" entity="Joint" predicateString="z &gt; $z &amp;&amp; name == &quot;a&quot;" fetchLimit="3" sort="-z"/>
                <configuration name="Main">
                    <memberEntity name="Joint"/>
                </configuration>
            </model>
            """
        #expect(text == wanted)
    }

    @Test("what nothing here stands for goes back to the very element it came from")
    func foreign() throws {
        let text = """
            <model hue="1">
            <entity name="A" tint="2">
                <attribute name="a" attributeType="ObjectID" storedInTruthFile="YES"><userInfo><entry key="z" value=""/>
                    <entry key="b" value="" note="3"/></userInfo><extra><deep a="4">text</deep></extra></attribute>
                <relationship name="r" maxCount="1" deletionRule="Forget" destinationEntity="A" inverseName="r" inverseEntity="B"/>
                <fetchedProperty name="f"><fetchRequest name="own" entity="A" predicateString="b == 1" cache="5"><hint/></fetchRequest></fetchedProperty>
                <fetchIndex name="i"><fetchIndexElement property="a" type="Hash"/><fetchIndexElement property="b" order="random" weight="6"/></fetchIndex>
                <uniquenessConstraints since="7"><uniquenessConstraint/><uniquenessConstraint><constraint value="a"/>
                    <constraint value="b" hard="8"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <configuration name="c"><memberEntity name="A"/><memberEntity name="B" lazy="9"/></configuration>
            <elements><element name="A" positionX="1.25"/></elements>
            </model>
            """
        let read = try imported(text)
        #expect(read.warnings.count == 16)
        let written = String(decoding: try read.model.xcodeContents(), as: UTF8.self)
        let again = try imported(written)
        #expect(again.model == read.model && again.warnings.count == read.warnings.count)
        for piece in [
            "hue=\"1\"", "tint=\"2\"", "attributeType=\"ObjectID\"", "<entry key=\"b\" value=\"\" note=\"3\"/>",
            "<deep a=\"4\">text</deep>",
            "deletionRule=\"Forget\"", "inverseEntity=\"B\"",
            "<fetchRequest name=\"own\" entity=\"A\" predicateString=\"b == 1\" cache=\"5\">", "<hint/>",
            "property=\"a\" type=\"Hash\"", "property=\"b\" type=\"Binary\" order=\"random\" weight=\"6\"",
            "<uniquenessConstraints since=\"7\">",
            "<constraint value=\"b\" hard=\"8\"/>", "<memberEntity name=\"B\" lazy=\"9\"/>", "<element name=\"A\" positionX=\"1.25\"/>",
        ] { #expect(written.contains(piece), "\(piece)") }
        // What was changed since is said, and not the file's word for what it was before.
        var changed = read.model
        changed.entities[0].attributes[0].type = .string
        changed.entities[0].relationships[0].deleteRule = .cascade
        let text2 = String(decoding: try changed.xcodeContents(), as: UTF8.self)
        #expect(text2.contains("attributeType=\"String\"") && text2.contains("deletionRule=\"Cascade\""))
    }

    private func refusal(_ edit: (inout ManagedObjectModel) -> Void) -> String {
        var model = drawingModel()
        edit(&model)
        do {
            _ = try model.xcodeContents()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test("what a model file cannot say is an error that names the description")
    func refusals() {
        let x = "writing a model: attribute \"name\" of entity \"Joint\": "
        #expect(refusal { $0.entities[1].attributes[0].userInfo["a"] = "\u{1}" } == x + "the character U+0001 in entry has no place in XML")
        #expect(refusal { $0.entities[1].attributes[0].minimum = "a" } == x + "it has bounds, which string values do not have")
        #expect(
            refusal { $0.entities[1].attributes[1].minimumLength = 1 }
                == "writing a model: attribute \"x\" of entity \"Joint\": it has lengths, which double values do not have")
        #expect(refusal { $0.entities[1].attributes[0].defaultValue = 1 } == x + "one of its values is none of type string")
        #expect(refusal { $0.entities[1].attributes[0].composite = "C" } == x + "it holds a composite and is of type string")
        #expect(
            refusal { $0.entities[1].attributes[1].userInfo["graben.packed"] = "NO" }
                == "writing a model: attribute \"x\" of entity \"Joint\": its userInfo has an entry \"graben.packed\", which a model file needs for something else"
        )
        #expect(
            refusal { $0.entities[1].fetchedProperties[0].sort = ["a,b"] }
                == "writing a model: fetched property \"nearby\" of entity \"Joint\": its order \"a,b\" is none that could be read again")
        #expect(
            refusal { $0.foreign.attributes["a b"] = "" } == "writing a model: the model: \"a b\" in its foreign content is no name in XML")
        var deep = ForeignElement("a")
        for _ in 0..<30 { deep = ForeignElement("a", children: [deep]) }
        #expect(
            refusal { $0.foreign.elements = [.init(deep)] }
                == "writing a model: the model: foreign elements are nested deeper than 24 levels")
    }

    @Test("the deepest element a file can have goes through the JSON form and the catalog too")
    func deepest() throws {
        let depth = 24 - 4
        let inner = String(repeating: "<x>", count: depth) + String(repeating: "</x>", count: depth)
        let model = try imported(entity: "<attribute name='a' attributeType='String'><y>\(inner)</y></attribute>").model
        #expect(try back(model.xcodeContents()).model == model)
        #expect(try ManagedObjectModel.load(json: model.jsonData()) == model)
        #expect(try ManagedObjectModel(tree: CBOR.decode(model.tree().encoded())) == model)
        #expect(throws: ModelError.self) {
            try imported(entity: "<attribute name='a' attributeType='String'><y><z>\(inner)</z></y></attribute>")
        }
    }

    @Test("many old indexes are named in no time, and none twice")
    func manyIndexes() throws {
        let names = (0..<2_000).map { "a\($0 / 2)" }
        let attributes = names.map { "<attribute name='\($0)' attributeType='String' indexed='YES'/>" }.joined()
        let compound = String(repeating: "<compoundIndex><index value='a'/><index value='b'/></compoundIndex>", count: 2_000)
        let indexes = try imported(entity: attributes + "<compoundIndexes>\(compound)</compoundIndexes>").model.entities[0].indexes
        #expect(indexes.count == 3_000 && Set(indexes.map(\.name)).count == 3_000 && indexes[1].name == "byAAndB2")
    }

    @Test("a file cut off at any byte, or with any byte changed, is an error or a model and never a trap")
    func hostile() throws {
        var model = drawingModel()
        model.entities[1].foreign.elements = [.init(ForeignElement("note", text: "ü"))]
        let whole = try model.xcodeContents()
        for length in 0..<whole.count {
            #expect(throws: ModelError.self) { try back(whole.prefix(length)) }
        }
        var random = Seeded(state: 23)
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? back(bytes).model.resolved()
        }
    }

    @Test("a file as Xcode writes it comes out again byte for byte")
    func identical() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="2" \
            minimumToolsVersion="Xcode 7.0" sourceLanguage="Objective-C" usedWithCloudKit="YES" userDefinedModelVersionIdentifier="3">
                <entity name="Joint" representedClassName="Knot" parentEntity="Item" elementID="Node" syncable="YES" codeGenerationType="class">
                    <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="3600" \
            defaultValueString="2001-01-01 01:00:00 +0000" usesScalarValueType="NO" elementID="made"/>
                    <attribute name="hue" optional="YES" attributeType="Transformable" valueTransformerName="Hues" customClassName="Hue"/>
                    <attribute name="plan" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" storedInTruthFile="YES"/>
                    <relationship name="pipes" optional="YES" toMany="YES" minCount="1" maxCount="9" deletionRule="No Action" ordered="YES" \
            destinationEntity="Pipe" inverseName="end" inverseEntity="Pipe"/>
                    <fetchIndex name="byBorn">
                        <fetchIndexElement property="born" type="Binary" order="descending"/>
                    </fetchIndex>
                </entity>
                <elements>
                    <element name="Joint" positionX="-63.5" positionY="-18" width="128" height="110"/>
                </elements>
            </model>
            """
        #expect(String(decoding: try imported(text).model.xcodeContents(), as: UTF8.self) == text)
        // Files from before Swift say nothing of the language, which means the older one.
        #expect(String(decoding: try imported("<model/>").model.xcodeContents(), as: UTF8.self).contains("sourceLanguage=\"Objective-C\""))
    }
}
