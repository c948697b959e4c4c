internal import GrabenPredicate

extension ModelFileWriter {
    static func add(_ template: FetchRequestTemplate, to draft: XcodeDraft) throws(ModelError) {
        let element = draft.add("fetchRequest", place: "fetch request \"\(template.name)\"")
        element.put("name", template.name)
        put(template.request, to: element)
        if !template.request.sort.isEmpty { element.put("sort", try sort(template.request, at: element.place)) }
        element.put("fetchOffset", template.request.offset)
        element.add(foreign: template.foreign)
    }

    static func add(_ fetched: FetchedPropertyDescription, to draft: XcodeDraft, of owner: String) throws(ModelError) {
        typealias Entry = XcodeVocabulary.Entry
        let element = draft.add("fetchedProperty", place: "fetched property \"\(fetched.name)\" of \(owner)")
        element.put("name", fetched.name)
        let request = element.add("fetchRequest")
        request.put("name", XcodeVocabulary.fetchedRequestName, isWeak: true)
        put(fetched.request, to: request)
        request.arrange()
        var info = fetched.userInfo
        if !fetched.sort.isEmpty { try add(Entry.sort, sort(fetched.request, at: element.place), to: &info, at: element.place) }
        if fetched.offset != 0 { try add(Entry.offset, "\(fetched.offset)", to: &info, at: element.place) }
        if fetched.autoRefresh { try add(Entry.autoRefresh, "YES", to: &info, at: element.place) }
        element.add(userInfo: info)
        element.add(foreign: fetched.foreign)
    }

    /// An entry of our own in userInfo, where the program must not have one of its name.
    static func add(_ key: String, _ value: String, to info: inout [String: String], at place: String) throws(ModelError) {
        guard info.updateValue(value, forKey: key) == nil else {
            throw .notExportable(place: place, reason: "its userInfo has an entry \"\(key)\", which a model file needs for something else")
        }
    }

    private static func put(_ request: FetchRequestDescription, to element: XcodeDraft) {
        element.put("entity", request.entity)
        element.put(word: "predicateString", request.predicateFormat)
        element.put("resultType", request.result == .objects ? nil : XcodeVocabulary.results.first { $0.meaning == request.result }?.name)
        element.put("fetchLimit", request.limit ?? 0)
        element.put("fetchBatchSize", request.batchSize)
        element.put("includeSubentities", request.includesSubentities, unless: true)
        element.put("includePropertyValues", request.includesPropertyValues, unless: true)
        element.put("includesPendingChanges", request.includesPendingChanges, unless: true)
        element.put("returnObjectsAsFaults", request.returnsObjectsAsFaults, unless: true)
        element.put("returnDistinctResults", request.returnsDistinctResults)
    }

    private static func sort(_ request: FetchRequestDescription, at place: String) throws(ModelError) -> String {
        let text = request.sort.joined(separator: ",")
        guard let parsed = try? ObjectSortDescriptor.parse(text), parsed.map(\.description) == request.sort else {
            throw .notExportable(place: place, reason: "its order \"\(text)\" is none that could be read again")
        }
        return text
    }
}
