extension Misuse {
    static let classes: [Misuse] = [
        Misuse(
            "no superclass", "@Entity final class Item {\n}",
            "Item is an entity and has to inherit from ManagedObject, or from another entity's class",
            remedies: ["inherit from ManagedObject"], mended: "@Entity final class Item: ManagedObject {\n}"),
        Misuse(
            "a protocol in place of the superclass",
            "@Entity final class Item: CustomStringConvertible {\n    var description: String { \"\" }\n}",
            "Item is an entity and has to inherit from ManagedObject, or from another entity's class; CustomStringConvertible is none",
            remedies: ["inherit from ManagedObject: ManagedObject, CustomStringConvertible"],
            mended: "@Entity final class Item: ManagedObject, CustomStringConvertible {\n    var description: String { \"\" }\n}"),
        Misuse(
            "a struct", "@Entity struct Item {}", "@Entity belongs before a class that inherits from ManagedObject, and this is a struct"),
        // It said "this is none".
        Misuse(
            "a protocol", "@Entity protocol Item {}",
            "@Entity belongs before a class that inherits from ManagedObject, and this is a protocol"),
        Misuse(
            "a generic class", "@Entity final class Item<T>: ManagedObject {}",
            "Item is generic, and an entity has one class: make it a class without parameters"),
        Misuse(
            "an actor's class", "@MainActor @Entity final class Item: ManagedObject {\n}",
            "objects of Item belong to the context that made them, whichever actor has it: write `nonisolated` instead",
            mended: "@Entity nonisolated final class Item: ManagedObject {\n}"),
        Misuse(
            "an initialiser of the class's own",
            "@Entity final class Item: ManagedObject {\n    convenience init(entity: Entity, insertInto context: ManagedObjectContext?) { fatalError() }\n}",
            "Item cannot have an init(entity:insertInto:) of its own: contexts make objects, new ones and fetched ones; write defaults as initial "
                + "values, and what more a new object needs into awakeFromInsert()",
            remedies: ["override awakeFromInsert() instead: override func awakeFromInsert() {}"],
            mended: "@Entity final class Item: ManagedObject {\n    override func awakeFromInsert() {}\n}"),
        // What was accepted before, and made the compiler complain of lines that nobody wrote.
        Misuse(
            "an initialiser that is not convenience", "@Entity final class Item: ManagedObject {\n    init(size: Int) {}\n}",
            "Item cannot have an init(size:) of its own: contexts make objects, new ones and fetched ones; write defaults as initial values, "
                + "and what more a new object needs into awakeFromInsert()",
            "'required' initializer 'init(_:)' must be provided by subclass of 'ManagedObject'",
            remedies: ["override awakeFromInsert() instead: override func awakeFromInsert() {}"],
            mended: "@Entity final class Item: ManagedObject {\n    override func awakeFromInsert() {}\n}"),
        Misuse(
            "a name that no model has", "@Entity(\"Two words\") final class Item: ManagedObject {}",
            "a model has no name \"Two words\": it begins with a letter or _ and goes on with letters, digits and _"),
        Misuse(
            "two properties with one primitive accessor", "@Entity final class Item: ManagedObject {\n    var a: Int\n    var A: Int\n}",
            "@Entity writes primitiveA for A, and there is another for a; give A another name"),
        Misuse(
            "a property called like what another one gets",
            "@Entity final class Item: ManagedObject {\n    var name: String?\n    var primitiveName: Int\n}",
            "@Entity writes primitiveName for name, and there is another in the class; give name another name"),
        Misuse(
            "an override of an inherited property",
            "@Entity class Base: ManagedObject {\n    var size: Int\n    }\n    @Entity final class Item: Base {\n    override var size: Int\n}",
            "size is a property of the superclass already, which keeps its value: override willChangeValue(forKey:) or didChangeValue(forKey:) "
                + "to follow it"),
        Misuse(
            "a name put together at run time", "@Entity(\"It\\(1)em\") final class Item: ManagedObject {}",
            "the name of the entity has to be text between quotes, without interpolation"),
        Misuse(
            "a key without names", "@Unique @Entity final class Item: ManagedObject {}",
            "@Unique before a class names properties of it, as in @Unique(\"name\")"),
        Misuse(
            "an index over what is not there", "@Index(\"size\") @Entity final class Item: ManagedObject {\n    var title: String?\n}",
            "@Index names size, which is no property of Item"),
        Misuse(
            "a key before a class that is no entity", "@Unique(\"size\") final class Item: ManagedObject {}",
            "@Unique says something of an entity, and Item is none: write @Entity too"),
        Misuse(
            "an attribute in a class that is no entity", "final class Item: ManagedObject {\n    @Packed var size: Double = 0\n}",
            "@Packed belongs before a property in the body of a class with @Entity"),
        Misuse(
            "a superclass that is no entity", "class Plain: ManagedObject {}\n    @Entity final class Item: Plain {}",
            "type 'Plain' has no member '_accessorEnd_Plain'"),
        Misuse(
            "the name of what every object has", "@Entity final class Item: ManagedObject {\n    var entity: String?\n}",
            "every ManagedObject has entity already; give the property another name",
            "overriding non-open property outside of its defining module",
            "property 'entity' with type 'String?' cannot override a property with type 'Entity'"),
    ]
}
