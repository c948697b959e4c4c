import GrabenLog
import GrabenModel
import Testing

/// Valid models of random hierarchies, with relationships of every kind between random entities.
private func randomValidModel(_ random: inout Seeded) -> ManagedObjectModel {
    func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
    var entities: [EntityDescription] = []
    for index in 0..<Int.random(in: 1...9, using: &random) {
        let parent = chance(2) ? nil : entities.randomElement(using: &random)?.name
        let attributes = (0..<Int.random(in: 0...4, using: &random)).map { number in
            let packed = chance(2)
            return AttributeDescription(
                "a\(index)_\(number)", packed ? (chance(2) ? .double : .float) : .string, isTransient: !packed && chance(3),
                isPacked: packed)
        }
        entities.append(EntityDescription("E\(index)", isAbstract: chance(4), superentity: parent, attributes: attributes))
    }
    for number in 0..<Int.random(in: 0...8, using: &random) {
        let (a, b) = (Int.random(in: entities.indices, using: &random), Int.random(in: entities.indices, using: &random))
        let (toMany, otherToMany) = (chance(2), chance(2))
        let ordered = toMany && chance(2)
        if chance(3) {
            entities[a].relationships.append(.init("r\(number)", to: "E\(b)", isToMany: toMany, isOrdered: ordered))
        } else if a == b, chance(3) {
            entities[a].relationships.append(.init("r\(number)", to: "E\(a)", inverse: "r\(number)", isToMany: toMany))
        } else {
            entities[a].relationships.append(
                .init("r\(number)", to: "E\(b)", inverse: "s\(number)", isToMany: toMany, isOrdered: ordered))
            entities[b].relationships.append(
                .init(
                    "s\(number)", to: "E\(a)", inverse: "r\(number)", isToMany: otherToMany,
                    isOrdered: otherToMany && !ordered && chance(2)))
        }
    }
    return ManagedObjectModel(entities: entities.shuffled(using: &random))
}

@Suite struct RandomHierarchyTests {
    @Test("numbers, lanes, fields, descendants and inverses of any hierarchy agree with what the descriptions say")
    func invariants() throws {
        var random = Seeded(state: 41)
        for _ in 0..<300 {
            let source = randomValidModel(&random)
            #expect(source.problems() == [])
            let model = try source.resolved()
            for (index, entity) in model.entities.enumerated() {
                #expect(entity.index == index && entity.name == source.entities[index].name)
                #expect(entity.superentity?.name == source.entities[index].superentity)
                #expect(entity.properties.map(\.number) == Array(entity.properties.indices))
                let inherited = entity.superentity?.properties ?? []
                #expect(zip(inherited, entity.properties).allSatisfy { $0 === $1 })
                #expect(entity.properties.dropFirst(inherited.count).allSatisfy { $0.declaringEntity == index })
                #expect(entity.lanes == entity.properties.filter { $0.attribute?.isPacked == true }.map(\.number))
                #expect(entity.lanes.enumerated().allSatisfy { entity.properties[$1].lane == $0 })
                #expect(entity.fields.enumerated().allSatisfy { entity.properties[$1].field == $0 })
                let stored = entity.properties.filter { $0.isToOne || $0.attribute.map { !$0.isPacked && !$0.isTransient } == true }
                #expect(entity.fields == stored.map(\.number))
                #expect(entity.concreteDescendants == model.entities.filter { !$0.isAbstract && $0.isKind(of: entity) }.map(\.index))
                for property in entity.properties { checkLink(of: property, in: model) }
            }
        }
    }

    private func checkLink(of property: Property, in model: ResolvedModel) {
        guard let link = property.link, let relationship = property.relationship else { return }
        let destination = model.entities[link.destination]
        #expect(destination.name == relationship.destination)
        #expect(link.isPolymorphic == (destination.concreteDescendants != [destination.index] || destination.subentities != []))
        #expect((link.storage == .field) == !relationship.isToMany)
        guard let inverse = model.inverse(of: property) else {
            #expect(relationship.inverse == nil && (link.storage == .field || link.storage == .linksAsOwner))
            return
        }
        #expect(inverse.name == relationship.inverse && model.inverse(of: inverse) === property)
        switch link.storage {
        case .field: #expect(inverse.link?.storage != .linksAsMember)
        case .reverse: #expect(inverse.isToOne && !relationship.isOrdered)
        case .linksAsOwner:
            #expect(inverse === property || (inverse.isToOne ? relationship.isOrdered : inverse.link?.storage == .linksAsMember))
        case .linksAsMember: #expect(inverse.link?.storage == .linksAsOwner && !relationship.isOrdered)
        }
    }

    @Test("hashes, and which side owns links, do not depend on the order of declaration")
    func order() throws {
        var random = Seeded(state: 43)
        for _ in 0..<200 {
            let source = randomValidModel(&random)
            var shuffled = source
            shuffled.entities.shuffle(using: &random)
            for index in shuffled.entities.indices {
                shuffled.entities[index].attributes.shuffle(using: &random)
                shuffled.entities[index].relationships.shuffle(using: &random)
            }
            let (one, two) = (try source.resolved(), try shuffled.resolved())
            #expect(one.versionHash == two.versionHash)
            for entity in one.entities {
                let other = try #require(two.entity(named: entity.name))
                #expect(other.versionHash == entity.versionHash)
                for property in entity.properties {
                    #expect(other.property(named: property.name)?.link?.storage == property.link?.storage)
                }
            }
        }
    }
}
