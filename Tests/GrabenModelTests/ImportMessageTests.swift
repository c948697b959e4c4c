import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

/// Everything the importer has to say, word by word.
@Suite struct ImportMessageTests {
    /// The warnings about what is in the entity `Pipe`, whose first line is line 3 of the file.
    private func warnings(_ inner: String) throws -> [String] { try imported(entity: inner).warnings.map(\.description) }

    private func problem(_ text: String) -> String {
        do {
            _ = try imported(text)
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    private func problem(entity inner: String) -> String {
        problem("<model>\n<entity name=\"Pipe\">\n\(inner)\n</entity>\n</model>")
    }

    private static let attribute = "Town.xml, line 3, attribute \"a\" of entity \"Pipe\": "

    @Test(
        "what is kept without being used, or read otherwise than it stands, is a warning with its line",
        arguments: [
            (
                "<attribute name='a' attributeType='String' colour='red'/>",
                attribute + "the attribute colour is unknown; it is kept and means nothing here"
            ),
            ("\n<paint kind='red'/>", "Town.xml, line 4, entity \"Pipe\": the element paint is unknown here; it is kept and means nothing"),
            ("<attribute name='a' attributeType='String'>red</attribute>", attribute + "it has text, which is left out"),
            (
                "<attribute name='a' attributeType='Undefined' transient='YES'/>",
                attribute + "an attribute of undefined type is read as a transformable one"
            ),
            ("<attribute name='a' attributeType='ObjectID'/>", attribute + "an attribute that holds an object's id is read as a URI"),
            (
                "<attribute name='a' attributeType='Boolean' minValueString='NO'/>",
                attribute + "minValueString means nothing for this type; it is kept"
            ),
            (
                "<attribute name='a' attributeType='Binary' defaultValueString='x'/>",
                attribute + "defaultValueString means nothing for this type; it is kept"
            ),
            ("<attribute name='a' attributeType='Integer 16' defaultValue='1'/>", attribute + "defaultValue is read as defaultValueString"),
            (
                "<attribute name='a' attributeType='Date' minValueString='soon'/>",
                attribute
                    + "minValueString is \"soon\", which is no date, and minDateTimeInterval is missing; it is kept and means nothing here"
            ),
            (
                "<attribute name='a' attributeType='String' derivationExpression='b'/>",
                attribute + "derivationExpression stands without derived=\"YES\"; it is kept and the attribute is not derived"
            ),
            (
                "<attribute name='a' attributeType='String' transient='YES' indexed='YES'/>",
                attribute + "a transient attribute is in no index"
            ),
            (
                "<attribute name='a' attributeType='String'><userInfo><entry key='k' value='1'/><entry key='k' value='2'/></userInfo></attribute>",
                "Town.xml, line 3, an entry of userInfo of attribute \"a\" of entity \"Pipe\": the key \"k\" occurs twice; the last one counts"
            ),
            (
                "<relationship name='a' destinationEntity='Pipe'/>",
                "Town.xml, line 3, relationship \"a\" of entity \"Pipe\": it says neither toMany nor maxCount and is read as leading to one object"
            ),
            (
                "<relationship name='a' maxCount='1' destinationEntity='Pipe' inverseEntity='Pipe'/>",
                "Town.xml, line 3, relationship \"a\" of entity \"Pipe\": inverseEntity stands without an inverseName; it is kept and the relationship has no inverse"
            ),
            (
                "<relationship name='a' maxCount='1' destinationEntity='Pipe' inverseName='b' inverseEntity='Tube'/>",
                "Town.xml, line 3, relationship \"a\" of entity \"Pipe\": inverseEntity is \"Tube\" and the destination \"Pipe\"; the inverse is looked for in the destination"
            ),
            (
                "<relationship name='a' maxCount='1' destinationEntity='Pipe' transient='YES'/>",
                "Town.xml, line 3, relationship \"a\" of entity \"Pipe\": a transient relationship is kept in the store all the same"
            ),
            (
                "<relationship name='a' maxCount='1' destinationEntity='Pipe' deletionRule='Forget'/>",
                "Town.xml, line 3, relationship \"a\" of entity \"Pipe\": deletionRule is \"Forget\", which is none of Nullify, Cascade, Deny, No Action; it is kept and means nothing here"
            ),
            (
                "<fetchedProperty name='a'><fetchRequest entity='Pipe' resultType='9'/></fetchedProperty>",
                "Town.xml, line 3, fetchRequest of fetchedProperty \"a\" of entity \"Pipe\": resultType is \"9\", which is none of 0, 1, 2, 4; it is kept and means nothing here"
            ),
            (
                "<fetchedProperty name='a'><fetchRequest entity='Pipe'/><userInfo><entry key='sort' value='a,,b'/></userInfo></fetchedProperty>",
                "Town.xml, line 3, fetchedProperty \"a\" of entity \"Pipe\": sort is \"a,,b\", which is no order such as \"name,-date\"; it means nothing here"
            ),
            (
                "<compositeAttribute name='a' composite='Place'/>",
                attribute + "a compositeAttribute is read as an attribute of type Composite"
            ),
        ])
    func warning(inner: String, wanted: String) throws {
        #expect(try warnings(inner) == [wanted])
    }

    @Test("warnings of the model and of entities stand in the order of the file")
    func order() throws {
        let text = """
            <model hue='1'>
            <entity name='A' abstract='YES' codeGenerationType='struct'/>
            <stuff/>
            <compositeAttribute name='Place'/>
            </model>
            """
        let imported = try imported(text)
        #expect(
            imported.warnings.map(\.description) == [
                "Town.xml, line 1, the model: the attribute hue is unknown; it is kept and means nothing here",
                "Town.xml, line 2, entity \"A\": abstract is read as isAbstract",
                "Town.xml, line 2, entity \"A\": codeGenerationType is \"struct\", which is none of class, category; it is kept and means nothing here",
                "Town.xml, line 3, the model: the element stuff is unknown here; it is kept and means nothing",
                "Town.xml, line 4, the model: a compositeAttribute beside the entities is read as a composite",
            ])
        #expect(
            imported.warnings[3].place.line == 3 && imported.model.entities[0].isAbstract && imported.model.composites == [.init("Place")])
        #expect(imported.model.foreign.elements == [.init(ForeignElement("stuff"))])
        let typed = try self.typed()
        #expect(typed == ["Town.xml, line 1, the model: its type is \"com.other.Thing\", which is no data model's; it is read as one"])
    }

    private func typed() throws -> [String] { try imported("<model type='com.other.Thing'/>").warnings.map(\.description) }

    @Test(
        "what cannot be read is an error with its line and element",
        arguments: [
            ("<attribute attributeType='String'/>", "attribute \"\" of entity \"Pipe\": the attribute name is missing"),
            ("<attribute name='a'/>", "attribute \"a\" of entity \"Pipe\": the attribute attributeType is missing"),
            (
                "<attribute name='a' attributeType='Strin'/>",
                "attribute \"a\" of entity \"Pipe\": attributeType is \"Strin\", which is no type of attributes; did you mean \"String\"?"
            ),
            (
                "<attribute name='a' attributeType='String' optional='maybe'/>",
                "attribute \"a\" of entity \"Pipe\": optional is \"maybe\" instead of YES or NO"
            ),
            (
                "<attribute name='a' attributeType='String' minValueString='99999999999999999999'/>",
                "attribute \"a\" of entity \"Pipe\": minValueString is \"99999999999999999999\" instead of a whole number"
            ),
            (
                "<attribute name='a' attributeType='Integer 16' defaultValueString='40000'/>",
                "attribute \"a\" of entity \"Pipe\": defaultValueString is \"40000\", which is no value of type Integer 16"
            ),
            (
                "<attribute name='a' attributeType='Double' maxValueString='1e999'/>",
                "attribute \"a\" of entity \"Pipe\": maxValueString is \"1e999\", which is no value of type Double"
            ),
            (
                "<attribute name='a' attributeType='Float' maxValueString='1e99'/>",
                "attribute \"a\" of entity \"Pipe\": maxValueString is \"1e99\", which is no value of type Float"
            ),
            (
                "<attribute name='a' attributeType='Double' maxValueString='0x1p3'/>",
                "attribute \"a\" of entity \"Pipe\": maxValueString is \"0x1p3\", which is no value of type Double"
            ),
            (
                "<attribute name='a' attributeType='Decimal' defaultValueString='1,5'/>",
                "attribute \"a\" of entity \"Pipe\": defaultValueString is \"1,5\", which is no value of type Decimal"
            ),
            (
                "<attribute name='a' attributeType='Date' defaultDateTimeInterval='now'/>",
                "attribute \"a\" of entity \"Pipe\": defaultDateTimeInterval is \"now\", which is no value of type Date"
            ),
            (
                "<attribute name='a' attributeType='UUID' defaultValueString='1'/>",
                "attribute \"a\" of entity \"Pipe\": defaultValueString is \"1\", which is no value of type UUID"
            ),
            (
                "<attribute name='a' attributeType='String' derived='YES'/>",
                "attribute \"a\" of entity \"Pipe\": it is derived, and the attribute derivationExpression is missing"
            ),
            ("<attribute name='a' attributeType='Composite'/>", "attribute \"a\" of entity \"Pipe\": the attribute composite is missing"),
            (
                "<attribute name='a' attributeType='String'><userInfo><entry value='1'/></userInfo></attribute>",
                "an entry of userInfo of attribute \"a\" of entity \"Pipe\": the attribute key is missing"
            ),
            ("<relationship name='a'/>", "relationship \"a\" of entity \"Pipe\": the attribute destinationEntity is missing"),
            ("<fetchedProperty name='a'/>", "fetchedProperty \"a\" of entity \"Pipe\": the element fetchRequest is missing"),
            (
                "<fetchedProperty name='a'><fetchRequest/></fetchedProperty>",
                "fetchRequest of fetchedProperty \"a\" of entity \"Pipe\": the attribute entity is missing"
            ),
            (
                "<fetchIndex name='a'><fetchIndexElement type='Binary'/></fetchIndex>",
                "fetchIndexElement of fetchIndex \"a\" of entity \"Pipe\": it names neither a property nor an expression"
            ),
            (
                "<fetchIndex name='a'><fetchIndexElement expression='b' expressionType='Text'/></fetchIndex>",
                "fetchIndexElement of fetchIndex \"a\" of entity \"Pipe\": expressionType is \"Text\", which is no type of attributes"
            ),
        ])
    func refusal(inner: String, wanted: String) {
        #expect(problem(entity: inner) == "importing a model: Town.xml, line 3, " + wanted)
    }

    @Test("all that is wrong in a file is said at once")
    func everything() {
        #expect(
            problem("<model>\n<entity/>\n<entity name='A'>\n<attribute name='a'/>\n</entity>\n<fetchRequest name='f'/>\n</model>") == """
                importing a model, 3 things are wrong in it:
                  - Town.xml, line 2, entity "": the attribute name is missing
                  - Town.xml, line 4, attribute "a" of entity "A": the attribute attributeType is missing
                  - Town.xml, line 6, fetchRequest "f": the attribute entity is missing
                """)
    }

    @Test("text that is no model file is an error that says where it stops being one")
    func noModel() {
        #expect(problem("") == "importing a model: Town.xml, line 1: this is not XML: no element found")
        #expect(
            problem("<plist>\n</plist>")
                == "importing a model: Town.xml, line 1: the file holds \"plist\" where a data model begins with \"model\"")
        #expect(
            problem("<model>\n<entity>\n</model>")
                == "importing a model: Town.xml, line 3, in the element entity: this is not XML: mismatched tag")
        #expect(problem("<model a='1' a='2'/>") == "importing a model: Town.xml, line 1: this is not XML: duplicate attribute")
        #expect(problem("<model>&nbsp;</model>").hasSuffix("line 1, in the element model: this is not XML: undefined entity"))
    }

    @Test("entities, attribute defaults and deep nesting are refused before they cost anything")
    func bombs() {
        var bomb = "<!DOCTYPE model [<!ENTITY a0 \"ha\">"
        for level in 1..<30 { bomb += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);\">" }
        #expect(
            problem(bomb + "]><model>&a29;</model>")
                == "importing a model: Town.xml, line 1: the entity \"a0\" is declared, and entities are not read")
        #expect(
            problem("<!DOCTYPE model [<!ENTITY % p SYSTEM \"/etc/passwd\"> %p;]><model/>")
                == "importing a model: Town.xml, line 1: the entity \"p\" is declared, and entities are not read")
        #expect(
            problem("<!DOCTYPE model [<!ATTLIST entity note CDATA \"long\">]><model><entity name=\"A\"/></model>")
                == "importing a model: Town.xml, line 1: attributes are declared, and that is not read")
        #expect(
            problem("<!DOCTYPE model SYSTEM \"http://nowhere.invalid/x.dtd\"><model>&x;</model>")
                == "importing a model: Town.xml, line 1, in the element model: the entity \"x\" is not one of XML's own")
        #expect(
            problem(String(repeating: "<model>", count: 100_000))
                == "importing a model: Town.xml, line 1, in the element model: elements are nested deeper than 24 levels")
    }
}
