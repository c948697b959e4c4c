import Foundation
import PackagePlugin

/// Turns the models in a target's folder into Swift while the target is built.
///
/// A model is an `.xcdatamodeld` or `.xcdatamodel` folder or a file named `Name.graben-model.json`. Each becomes one Swift file with the
/// classes the model asks for and the model itself; it is made anew when a file of the model changes, and only then.
@main
struct GrabenModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "GrabenModelTool").url
        var commands: [Command] = []
        var byName: [String: URL] = [:]
        let models = models(in: target.directoryURL)
        for (number, model) in models.enumerated() {
            let name = stem(of: model)
            if let other = byName.updateValue(model, forKey: typeName(name)) {
                Diagnostics.error("\(other.path) and \(model.path) would both become one type and one file; rename one of them")
                continue
            }
            let others = models[..<number]
            let output = context.pluginWorkDirectoryURL.appending(component: "\(name)Model.swift")
            commands.append(
                .buildCommand(
                    displayName: "Generating Swift from \(model.lastPathComponent)", executable: tool,
                    arguments: [model.path, output.path, target.moduleName] + others.map(\.path),
                    inputFiles: files(of: model) + others.flatMap(files), outputFiles: [output]))
        }
        return commands
    }

    /// The models in a folder, sorted by path. What is inside of one is part of it.
    private func models(in folder: URL) -> [URL] {
        var found: [URL] = []
        let entries = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])) ?? []
        for entry in entries.sorted(by: { $0.path < $1.path }) where !entry.lastPathComponent.hasPrefix(".") {
            if ["xcdatamodeld", "xcdatamodel"].contains(entry.pathExtension) || entry.lastPathComponent.hasSuffix(".graben-model.json") {
                found.append(entry)
            } else if (try? entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true {
                found += models(in: entry)
            }
        }
        return found
    }

    /// The files that a model is read from: a change of any of them makes it anew.
    private func files(of model: URL) -> [URL] {
        guard model.pathExtension.hasPrefix("xcdatamodel") else { return [model] }
        let entries = FileManager.default.enumerator(atPath: model.path)?.compactMap { $0 as? String } ?? []
        return entries.filter { $0 == "contents" || $0.hasSuffix("/contents") || $0 == ".xccurrentversion" }.sorted()
            .map { model.appending(path: $0) }
    }

    /// What the tool calls a model's type, as far as two can be the same: without signs, with or without `Model` behind it; and without
    /// case, which some file systems do not tell apart.
    private func typeName(_ stem: String) -> String {
        let name = stem.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.hasSuffix("model") ? name : name + "model"
    }

    private func stem(of model: URL) -> String {
        let name = model.lastPathComponent
        for ending in [".graben-model.json", ".xcdatamodeld", ".xcdatamodel"] where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }
}
