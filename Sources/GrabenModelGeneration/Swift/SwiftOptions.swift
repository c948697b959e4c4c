/// What the generator is told besides the model.
package struct SwiftOptions: Sendable {
    /// Who sees the declarations; nil takes the model's and entities' own `graben.access` (userInfo), and internal where there is none.
    package var access: SwiftAccess?
    /// The module the code is compiled into; classes the model places in another one are imported from there. nil takes every class as
    /// one of this module.
    package var module: String?
    /// Whether classes are made for all entities, those the model leaves to be written by hand included.
    package var generatesEveryClass: Bool
    /// The name of the type that holds the model.
    package var modelTypeName: String

    package init(
        access: SwiftAccess? = nil, module: String? = nil, generatesEveryClass: Bool = false, modelTypeName: String
    ) {
        self.access = access
        self.module = module
        self.generatesEveryClass = generatesEveryClass
        self.modelTypeName = modelTypeName
    }
}

extension SwiftOptions {
    /// A name for the type that holds the model of a file: `drawing.graben-model.json` gives `DrawingModel`, `Model.xcdatamodeld` `Model`.
    package static func modelTypeName(forFile path: String) -> String {
        var stem = path[...]
        while stem.hasSuffix("/") { stem = stem.dropLast() }
        if let slash = stem.lastIndex(of: "/") { stem = stem[stem.index(after: slash)...] }
        for ending in [".graben-model.json", ".model.json", ".json", ".xcdatamodeld", ".xcdatamodel", ".xml", ".graben"]
        where stem.hasSuffix(ending) {
            stem = stem.dropLast(ending.count)
            break
        }
        var name = ""
        for word in stem.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) { name += String(word).capitalizedFirst }
        if name.first.map({ $0.isNumber }) ?? true { name = "_" + name }
        return name.hasSuffix("Model") ? name : name + "Model"
    }
}
