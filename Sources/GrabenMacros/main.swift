// The compiler starts this program once for each module it compiles and asks it, message by message, to expand macros.
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

struct GrabenPlugin: PluginProvider {
    var macros: [any Macro.Type] { [EntityMacro.self, PropertyMacro.self, MarkerMacro.self] }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        guard let macro = macros.first(where: { "\($0)" == typeName }) else { throw UnknownMacro(name: "\(moduleName).\(typeName)") }
        return macro
    }
    func loadPluginLibrary(libraryPath: String, moduleName: String) throws { throw UnknownMacro(name: libraryPath) }
    var features: [PluginFeature] { [] }
}

/// The compiler asked for what the declarations in Graben do not name: plugin and library are of different versions.
struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "Graben's macro plugin has no \(name); build the package anew" }
}

let connection = try StandardIOMessageConnection()
try CompilerPluginMessageListener(connection: connection, provider: GrabenPlugin()).main()
