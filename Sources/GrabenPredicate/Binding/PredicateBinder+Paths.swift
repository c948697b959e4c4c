import GrabenLog

extension PredicateBinder {
    /// What a step makes of a value.
    typealias Transform = (Operand, inout EvaluationFrame) throws(ObjectPredicateError) -> Operand

    mutating func path(
        _ base: ValueExpression, _ steps: [PredicateStep], _ whole: ValueExpression
    ) throws(ObjectPredicateError) -> BoundValue {
        let site = site(whole)
        if base == .object, case .key(let name) = steps.first, steps.count == 1, let direct = attribute(name) { return direct }
        var value = try compile(base)
        var isConstant = value.constant != nil
        var isSafe = value.isSafe
        var place = 0
        while place < steps.count {
            // A count alone needs no members.
            if case .key(let name) = steps[place], place + 1 < steps.count, steps[place + 1] == .collection(.count, []),
                case .object(let schema) = value.type, let counted = memberCount(name, schema, value)
            {
                value = counted
                place += 2
                continue
            }
            let transform: Transform
            let type: StaticType
            if case .index(let expression) = steps[place] {
                // Compiled once: twice at each level would double the time with every index inside an index.
                let index = try compile(expression)
                if index.constant == nil { isConstant = false }
                (transform, type) = element(index, value.type, site)
            } else {
                (transform, type) = try step(steps[place], value.type, base == .object && place == 0, site)
            }
            isSafe = isSafe && steps[place].alwaysAnswers(value.type)
            let before = value.evaluate
            value = BoundValue(type: type, isSafe: isSafe) { frame throws(ObjectPredicateError) in
                let operand = try before(&frame)
                return try transform(operand, &frame)
            }
            place += 1
        }
        return try folded(value, constant: isConstant)
    }

    /// An attribute of the object itself, the most frequent path by far.
    private mutating func attribute(_ name: String) -> BoundValue? {
        guard let property = schema.property(named: name), case .attribute(let family) = property.kind else { return nil }
        properties.insert(property.index)
        let reader = PropertyReader(index: property.index, key: name, entity: schema.name)
        return BoundValue(type: .scalar(family), attribute: property.index, isSafe: true) { frame throws(ObjectPredicateError) in
            Operand(try reader.value(frame.root))
        }
    }

    private func memberCount(_ name: String, _ schema: any PredicateSchema, _ value: BoundValue) -> BoundValue? {
        guard let property = schema.property(named: name), case .toMany = property.kind else { return nil }
        let reader = PropertyReader(index: property.index, key: name, entity: schema.name)
        let before = value.evaluate
        return BoundValue(type: .scalar(.number), isSafe: value.isSafe) { frame throws(ObjectPredicateError) in
            guard case .object(let object) = try before(&frame) else { return .int(0) }
            return .int(Int64(try reader.count(object)))
        }
    }

    private mutating func step(
        _ step: PredicateStep, _ type: StaticType, _ isOwn: Bool, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> (Transform, StaticType) {
        switch step {
        case .key(let name): return try key(name, type, isOwn, site)
        case .collection(let operation, let keys): return try collection(operation, keys, type, site)
        case .index(let index): return element(try compile(index), type, site)
        case .first, .last:
            let isFirst = step == .first
            return (
                { operand, _ throws(ObjectPredicateError) in
                    do throws(OperandProblem) {
                        let elements = try operand.ordered()
                        return (isFirst ? elements.first : elements.last) ?? .null
                    } catch { throw site.error(error) }
                }, type.member
            )
        case .size:
            return (
                { operand, _ throws(ObjectPredicateError) in
                    if operand.isNull { return .null }
                    do throws(OperandProblem) { return .int(Int64(try operand.members(of: "[SIZE]").count)) } catch {
                        throw site.error(error)
                    }
                }, .scalar(.number)
            )
        }
    }

    private func element(_ index: BoundValue, _ type: StaticType, _ site: EvaluationSite) -> (Transform, StaticType) {
        let place = index.evaluate
        return (
            { operand, frame throws(ObjectPredicateError) in
                let index = try place(&frame)
                do throws(OperandProblem) { return try operand.element(at: index) } catch { throw site.error(error) }
            }, type.member
        )
    }

    // MARK: Keys

    private mutating func key(
        _ name: String, _ type: StaticType, _ isOwn: Bool, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> (Transform, StaticType) {
        switch type {
        case .object(let schema): return try property(name, schema, isOwn, site)
        case .scalar(let family):
            if isSelf(name) { return ({ operand, _ throws(ObjectPredicateError) in operand }, type) }
            if name == "length", family == .string || family == nil { break }
            if let family { throw site.error("\"\(name)\" is asked of \(family.kindName), which has no properties") }
        case .collection(let member, let isOrdered, let origin):
            if isSelf(name) { return ({ operand, _ throws(ObjectPredicateError) in operand }, type) }
            let (transform, result) = try key(name, member, false, site)
            return (
                { operand, frame throws(ObjectPredicateError) in
                    guard case .collection(let collection) = operand else { return operand }
                    return try .collection(collection.projected(&frame, site, transform))
                }, .collection(result.member(or: result), isOrdered: isOrdered, origin == .computed ? .computed : .path)
            )
        case .unknown, .null: break
        }
        return (dynamicKey(name, site), .unknown)
    }

    private func isSelf(_ name: String) -> Bool { name == "self" || name == "SELF" }

    private mutating func property(
        _ name: String, _ schema: any PredicateSchema, _ isOwn: Bool, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> (Transform, StaticType) {
        guard let property = schema.property(named: name) else {
            if isSelf(name) { return ({ operand, _ throws(ObjectPredicateError) in operand }, .object(schema)) }
            throw unknown(name, schema, site)
        }
        if isOwn { properties.insert(property.index) }
        let reader = PropertyReader(index: property.index, key: name, entity: schema.name)
        let resolve = resolve
        let type: StaticType
        switch property.kind {
        case .attribute(let family): type = .scalar(family)
        case .toOne(let target): type = .object(target)
        case .toMany(let target, let ordered): type = .collection(.object(target), isOrdered: ordered, .path)
        case .dynamic: type = .unknown
        case .fetched: throw site.error("\"\(name)\" is a fetched property of \(schema.name) and cannot be used in a predicate")
        }
        let kind = property.kind
        let transform: Transform = { operand, _ throws(ObjectPredicateError) in
            switch operand {
            case .null: return .null
            case .object(let object): return try reader.read(object, kind)
            case .reference(let id): return try reader.read(try Self.target(id, resolve, site), kind)
            default: throw site.error("\"\(name)\" is asked of \(operand.kindName), which has no properties")
            }
        }
        return (transform, type)
    }

    private func unknown(_ name: String, _ schema: any PredicateSchema, _ site: EvaluationSite) -> ObjectPredicateError {
        var path = name
        if case .expression(let expression) = site.part { path = expression.format }
        return .unknownKey(key: name, keyPath: path, entity: schema.name, nearest: nearestName(to: name, in: schema.propertyNames))
    }

    private static func target(
        _ id: ObjectID, _ resolve: ((ObjectID) throws -> (any PredicateObject)?)?, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> any PredicateObject {
        do {
            if let object = try resolve?(id) { return object }
        } catch {
            throw site.error("the object a reference names could not be read: \(error)")
        }
        throw site.error("the object a reference names cannot be read here, so no key path can go on from it")
    }

    /// A key of whatever a value turns out to be.
    private func dynamicKey(_ name: String, _ site: EvaluationSite) -> Transform {
        let resolve = resolve
        let isSelf = isSelf(name)
        func transform(_ operand: Operand, _ frame: inout EvaluationFrame) throws(ObjectPredicateError) -> Operand {
            switch operand {
            case .null: return .null
            case .object(let object):
                guard let property = object.predicateSchema.property(named: name) else {
                    if isSelf { return operand }
                    throw unknown(name, object.predicateSchema, site)
                }
                if case .fetched = property.kind {
                    throw site.error("\"\(name)\" is a fetched property and cannot be used in a predicate")
                }
                return try PropertyReader(index: property.index, key: name, entity: object.predicateSchema.name).read(object, property.kind)
            case .reference(let id):
                if isSelf { return operand }
                return try transform(.object(try Self.target(id, resolve, site)), &frame)
            case .dictionary(let members):
                guard let member = members[name] else {
                    throw .unknownKey(
                        key: name, keyPath: name, entity: "the dictionary", nearest: nearestName(to: name, in: members.keys.sorted()))
                }
                return Operand(member, origin: .attribute)
            case .collection(let collection):
                return isSelf ? operand : try .collection(collection.projected(&frame, site, transform))
            case .string(let text) where name == "length": return .int(Int64(text.utf16.count))
            default:
                if isSelf { return operand }
                throw site.error("\"\(name)\" is asked of \(operand.kindName), which has no properties")
            }
        }
        return { operand, frame throws(ObjectPredicateError) in try transform(operand, &frame) }
    }

    // MARK: Collection operators

    private mutating func collection(
        _ operation: CollectionOperator, _ keys: [PredicateStep], _ type: StaticType, _ site: EvaluationSite
    ) throws(ObjectPredicateError) -> (Transform, StaticType) {
        switch type {
        case .scalar(let family?): throw site.error("@\(operation.rawValue) takes a collection, not \(family.kindName)")
        case .object: throw site.error("@\(operation.rawValue) takes a collection, not an object")
        default: break
        }
        var memberType = type.member
        var transforms: [Transform] = []
        for key in keys {
            let (transform, next) = try step(key, memberType, false, site)
            transforms.append(transform)
            memberType = next
        }
        let chain = transforms
        let project: Transform? =
            chain.isEmpty
            ? nil
            : { operand, frame throws(ObjectPredicateError) in
                var result = operand
                for transform in chain { result = try transform(result, &frame) }
                return result
            }
        var isOrdered = true
        if case .collection(_, let ordered, _) = type { isOrdered = ordered }
        let keepsOrder = isOrdered
        let result: StaticType
        switch operation {
        case .count, .sum, .average: result = .scalar(.number)
        case .minimum, .maximum: result = memberType.member(or: memberType)
        case .union, .distinctUnion: result = .collection(memberType.member(or: memberType), isOrdered: isOrdered, .computed)
        }
        let transform: Transform = { operand, frame throws(ObjectPredicateError) in
            var members: [Operand]
            do throws(OperandProblem) { members = try operand.members(of: "@\(operation.rawValue)") } catch { throw site.error(error) }
            if let project, operation != .count {
                members = try OperandCollection(elements: members, isOrdered: true, origin: .computed).projected(&frame, site, project)
                    .elements
            }
            do throws(OperandProblem) {
                switch operation {
                case .count: return .int(Int64(members.count))
                case .sum: return try Operand.aggregate(.sum, members)
                case .average: return try Operand.aggregate(.average, members)
                case .minimum: return try Operand.aggregate(.min, members)
                case .maximum: return try Operand.aggregate(.max, members)
                case .union: return .collection(OperandCollection(elements: members, isOrdered: keepsOrder, origin: .computed))
                case .distinctUnion:
                    return .collection(OperandCollection(elements: Operand.distinct(members), isOrdered: keepsOrder, origin: .computed))
                }
            } catch { throw site.error(error) }
        }
        return (transform, result)
    }
}

extension StaticType {
    /// The type of members where this is a collection, since projections flatten (D10).
    fileprivate func member(or other: StaticType) -> StaticType {
        if case .collection(let member, _, _) = self { return member }
        return other
    }
}

extension OperandCollection {
    /// What a step makes of each member, in one flat collection; nils are kept (D10).
    fileprivate func projected(
        _ frame: inout EvaluationFrame, _ site: EvaluationSite, _ transform: PredicateBinder.Transform
    ) throws(ObjectPredicateError) -> OperandCollection {
        var result: [Operand] = []
        result.reserveCapacity(elements.count)
        var ordered = isOrdered
        for element in elements {
            let value = try transform(element, &frame)
            if case .collection(let inner) = value {
                try frame.visit(inner.elements.count, site)
                result += inner.elements
                ordered = ordered && inner.isOrdered
            } else {
                try frame.visit(1, site)
                result.append(value)
            }
        }
        return OperandCollection(elements: result, isOrdered: ordered, origin: origin == .computed ? .computed : .path)
    }
}

extension Operand {
    /// The members of an ordered collection (D15).
    fileprivate func ordered() throws(OperandProblem) -> [Operand] {
        if case .collection(let collection) = self, !collection.isOrdered {
            throw OperandProblem("an unordered relationship has no first, last or n-th member")
        }
        return try members(of: "an index")
    }

    fileprivate func element(at index: Operand) throws(OperandProblem) -> Operand {
        if isNull { return .null }
        let elements = try ordered()
        if index.isNull { return .null }
        guard case .int(let place) = index.number else { throw OperandProblem("an index is an integer, not \(index.kindName)") }
        return place >= 0 && place < elements.count ? elements[Int(place)] : .null
    }
}

/// Reads one property and says what was read where that fails.
struct PropertyReader {
    let index: Int
    let key: String
    let entity: String

    @inline(__always)
    func value(_ object: any PredicateObject) throws(ObjectPredicateError) -> Value {
        do { return try object.predicateValue(at: index) } catch { throw failure(error, object) }
    }

    func count(_ object: any PredicateObject) throws(ObjectPredicateError) -> Int {
        do { return try object.predicateMemberCount(at: index) } catch { throw failure(error, object) }
    }

    func read(_ object: any PredicateObject, _ kind: PredicatePropertyKind) throws(ObjectPredicateError) -> Operand {
        do {
            switch kind {
            case .attribute: return Operand(try object.predicateValue(at: index))
            case .toOne: return try object.predicateTarget(at: index).map { .object($0) } ?? .null
            case .toMany(_, let ordered):
                let members = try object.predicateMembers(at: index).map { Operand.object($0) }
                return .collection(OperandCollection(elements: members, isOrdered: ordered, origin: .path))
            case .dynamic: return Operand(try object.predicateBinding(at: index), origin: .attribute)
            case .fetched: return .null
            }
        } catch { throw failure(error, object) }
    }

    private func failure(_ error: any Error, _ object: any PredicateObject) -> ObjectPredicateError {
        if let known = error as? ObjectPredicateError { return known }
        return .reading(key: key, entity: entity, object: object.predicateIdentity, underlying: error)
    }
}
