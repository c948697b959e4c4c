internal import GrabenPredicate

extension ModelFileReader {
    func template(_ node: XMLNode) -> FetchRequestTemplate? {
        let element = XcodeElement(node, title: "fetchRequest \"\(node["name"] ?? "")\"", log: log)
        guard let name = element.required("name"), var request = request(element) else { return nil }
        // A template has no userInfo, so that these two are attributes of our own.
        if let text = element.word("sort") { request.sort = sort(text, element) ?? [] }
        request.offset = element.integer("fetchOffset") ?? 0
        var template = FetchRequestTemplate(name, request)
        template.foreign = element.foreign()
        return template
    }

    func fetchedProperty(_ node: XMLNode, of owner: String) -> FetchedPropertyDescription? {
        let element = XcodeElement(node, title: "fetchedProperty \"\(node["name"] ?? "")\" of \(owner)", log: log)
        guard let name = element.required("name") else { return nil }
        let parts = element.parts("fetchRequest")
        guard let part = parts.first else {
            element.refuse("the element fetchRequest is missing")
            return nil
        }
        if parts.count > 1 { parts[1].warn("it is the second one of a fetched property, and means nothing here") }
        if let name = part.word("name"), name != XcodeVocabulary.fetchedRequestName { part.keep("name") }
        guard let request = request(part) else { return nil }
        var fetched = FetchedPropertyDescription(name, request, userInfo: userInfo(of: element))
        takeEntries(of: &fetched, element)
        fetched.foreign = element.foreign()
        return fetched
    }

    private func request(_ element: XcodeElement) -> FetchRequestDescription? {
        guard let entity = element.required("entity") else { return nil }
        var request = FetchRequestDescription(entity, predicateFormat: element.word("predicateString"))
        if let limit = element.integer("fetchLimit"), limit != 0 { request.limit = limit }
        request.batchSize = element.integer("fetchBatchSize") ?? 0
        // Unlike other flags these say what a fetch request does by itself where they are absent, as Core Data's compiler takes it.
        request.includesSubentities = element.flag("includeSubentities", default: true)
        request.includesPropertyValues = element.flag("includePropertyValues", default: true)
        request.includesPendingChanges = element.flag("includesPendingChanges", default: true)
        request.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults", default: true)
        request.returnsDistinctResults = element.flag("returnDistinctResults")
        request.result = element.choice("resultType", XcodeVocabulary.results) ?? .objects
        return request
    }

    /// Takes out of userInfo what says more than the format has words for.
    private func takeEntries(of fetched: inout FetchedPropertyDescription, _ element: XcodeElement) {
        typealias Entry = XcodeVocabulary.Entry
        if let text = fetched.userInfo[Entry.sort], let sort = sort(text, element), !sort.isEmpty {
            fetched.userInfo[Entry.sort] = nil
            fetched.sort = sort
        }
        if let offset = fetched.userInfo[Entry.offset].flatMap({ Int($0) }) {
            fetched.userInfo[Entry.offset] = nil
            fetched.offset = offset
        }
        if let flag = fetched.userInfo[Entry.autoRefresh].flatMap(XcodeValueText.boolean) {
            fetched.userInfo[Entry.autoRefresh] = nil
            fetched.autoRefresh = flag
        }
    }

    private func sort(_ text: String, _ element: XcodeElement) -> [String]? {
        do throws(ObjectPredicateError) {
            return try ObjectSortDescriptor.parse(text).map(\.description)
        } catch {
            element.warn("sort is \"\(text)\", which is no order such as \"name,-date\"; it means nothing here")
            return nil
        }
    }
}
