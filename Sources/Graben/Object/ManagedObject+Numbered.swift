import FoundationEssentials
public import GrabenLog

/// What the accessors that `@Entity` writes call: properties by the number they have in the class's `accessorKeys`.
///
/// Which property of the entity a number means is looked up when class and entity are bound (`EntityInfo.numbered`), so that an access is
/// a look into an array, whatever the order of the model. Everything else is as in the accessors that take a name.
extension ManagedObject {
    // MARK: Attributes

    /// What a getter of an unpacked attribute returns: the value, with the access announced; nil where there is none.
    @inlinable
    public final func attribute<V: AttributeValue>(at accessor: Int, as type: V.Type = V.self) -> V? {
        V(primitiveValue: attributeValue(at: accessor))
    }

    /// What a getter of an attribute of raw values returns; nil where there is none, or one that the type does not know.
    @inlinable
    public final func attribute<V: RawRepresentable>(at accessor: Int, as type: V.Type = V.self) -> V? where V.RawValue: AttributeValue {
        V.RawValue(primitiveValue: attributeValue(at: accessor)).flatMap { V(rawValue: $0) }
    }

    /// What a getter of a transformable attribute returns; nil where there is none. JSON that the type cannot be read from is reported.
    @_disfavoredOverload
    public final func attribute<V: Codable>(at accessor: Int, as type: V.Type = V.self) -> V? {
        decoded(attributeValue(at: accessor), accessor)
    }

    /// What a setter of an unpacked attribute does: the value set, with the change announced and recorded.
    ///
    /// A value that does not fit is reported to the context, left out, and thrown by the next save.
    @inlinable
    public final func setAttribute<V: AttributeValue>(at accessor: Int, _ value: V?) {
        setAttributeValue(at: accessor, value?.primitiveValue ?? .null)
    }

    /// What a setter of a text does.
    public final func setAttribute(at accessor: Int, _ value: String?) {
        if let value, setQuietly(accessor, text: value) { return }
        setAttributeValue(at: accessor, value.map { .string($0) } ?? .null)
    }

    /// What a setter of an attribute of raw values does.
    @inlinable
    public final func setAttribute<V: RawRepresentable>(at accessor: Int, _ value: V?) where V.RawValue: AttributeValue {
        setAttributeValue(at: accessor, value?.rawValue.primitiveValue ?? .null)
    }

    /// What a setter of a transformable attribute does; a value that cannot be encoded is refused like one that does not fit.
    @_disfavoredOverload
    public final func setAttribute<V: Codable>(at accessor: Int, _ value: V?) {
        guard let encoded = encoded(value, accessor) else { return }
        setAttributeValue(at: accessor, encoded)
    }

    /// Reads an attribute or to-one, with the access announced.
    public final func attributeValue(at accessor: Int) -> Value {
        let info = info
        guard let property = propertyOrReport(accessor, info) else { return info.probe?.note(accessorKey(accessor)) ?? .null }
        willAccessValue(forKey: property.name)
        defer { didAccessValue(forKey: property.name) }
        return primitive(property, info)
    }

    /// Sets an attribute, with the change announced and recorded.
    public final func setAttributeValue(at accessor: Int, _ value: Value) {
        if setQuietly(accessor, value) { return }
        guard let property = propertyOrReport(accessor) else { return }
        do throws(GrabenError) { try set(property, to: value) } catch { refuse(error) }
    }

    // MARK: Primitive values

    /// What a primitive getter returns: the value without the access announced.
    @inlinable
    public final func primitiveAttribute<V: AttributeValue>(at accessor: Int, as type: V.Type = V.self) -> V? {
        V(primitiveValue: primitiveAttributeValue(at: accessor))
    }

    /// What a primitive getter of raw values returns.
    @inlinable
    public final func primitiveAttribute<V: RawRepresentable>(at accessor: Int, as type: V.Type = V.self) -> V?
    where V.RawValue: AttributeValue {
        V.RawValue(primitiveValue: primitiveAttributeValue(at: accessor)).flatMap { V(rawValue: $0) }
    }

    /// What a primitive getter of a transformable attribute returns.
    @_disfavoredOverload
    public final func primitiveAttribute<V: Codable>(at accessor: Int, as type: V.Type = V.self) -> V? {
        decoded(primitiveAttributeValue(at: accessor), accessor)
    }

    /// What a primitive setter does: the value set, and nothing announced or recorded.
    @inlinable
    public final func setPrimitiveAttribute<V: AttributeValue>(at accessor: Int, _ value: V?) {
        setPrimitiveAttributeValue(at: accessor, value?.primitiveValue ?? .null)
    }

    /// What a primitive setter of raw values does.
    @inlinable
    public final func setPrimitiveAttribute<V: RawRepresentable>(at accessor: Int, _ value: V?) where V.RawValue: AttributeValue {
        setPrimitiveAttributeValue(at: accessor, value?.rawValue.primitiveValue ?? .null)
    }

    /// What a primitive setter of a transformable attribute does.
    @_disfavoredOverload
    public final func setPrimitiveAttribute<V: Codable>(at accessor: Int, _ value: V?) {
        guard let encoded = encoded(value, accessor) else { return }
        setPrimitiveAttributeValue(at: accessor, encoded)
    }

    /// Reads an attribute without announcing it.
    public final func primitiveAttributeValue(at accessor: Int) -> Value {
        propertyOrReport(accessor).map { primitive($0.number) } ?? .null
    }

    /// Sets an attribute without announcing or recording it; a value that does not fit is refused.
    public final func setPrimitiveAttributeValue(at accessor: Int, _ value: Value) {
        guard let property = propertyOrReport(accessor) else { return }
        do throws(GrabenError) { setPrimitive(property.number, try checked(value, for: property)) } catch { refuse(error) }
    }

    // MARK: Relationships and fetched properties

    /// What a getter of a to-one relationship returns.
    @inlinable
    public final func toOne<T: ManagedObject>(at accessor: Int, as type: T.Type = T.self) -> T? {
        toOneObject(at: accessor, T.self) as? T
    }

    /// As `toOne(at:as:)`, whatever the object's class. Where key paths are tried out, a made-up object of `type`.
    @usableFromInline
    final func toOneObject(at accessor: Int, _ type: ManagedObject.Type) -> ManagedObject? {
        var isKnown = false
        let target = targetQuietly(accessor, isKnown: &isKnown)
        if isKnown { return target }
        let info = info
        guard let property = propertyOrReport(accessor, info) else { return probedTarget(accessor, type) }
        willAccessValue(forKey: property.name)
        defer { didAccessValue(forKey: property.name) }
        guard case .reference(let id) = primitive(property, info), let context = _table.context else { return nil }
        return context.object(with: id)
    }

    /// What a setter of a to-one relationship does; the other side is set too.
    public final func setToOne(at accessor: Int, _ object: ManagedObject?) {
        if let object, setTargetQuietly(accessor, object) { return }
        guard let property = propertyOrReport(accessor) else { return }
        do throws(GrabenError) { try setTarget(property, object) } catch { refuse(error) }
    }

    /// What a primitive getter of a to-one relationship returns.
    public final func primitiveToOne<T: ManagedObject>(at accessor: Int, as type: T.Type = T.self) -> T? {
        propertyOrReport(accessor).flatMap { target($0.number) as? T }
    }

    /// What a primitive setter of a to-one relationship does; the other side is the caller's to set.
    public final func setPrimitiveToOne(at accessor: Int, _ object: ManagedObject?) {
        setPrimitiveAttributeValue(at: accessor, object.map { .reference($0.objectID) } ?? .null)
    }

    /// What a getter of an unordered to-many relationship returns. Fires nothing.
    public final func toMany<T: ManagedObject>(at accessor: Int, as type: T.Type = T.self) -> ToMany<T> {
        guard let number = propertyOrReport(accessor).flatMap({ toManyNumber($0) }) else {
            info.probe?.note(accessorKey(accessor))
            return []
        }
        return ToMany(.relationship(self, number))
    }

    /// What a setter of an unordered to-many relationship does; the other sides are set too.
    public final func setToMany<T: ManagedObject>(at accessor: Int, _ members: ToMany<T>) {
        guard let number = propertyOrReport(accessor).flatMap({ toManyNumber($0) }), !members.source.isRelationship(number, of: self) else {
            return
        }
        do { try setMembers(number, Array(members)) } catch { refuse(error) }
    }

    /// What a getter of an ordered to-many relationship returns. Fires nothing.
    public final func orderedToMany<T: ManagedObject>(at accessor: Int, as type: T.Type = T.self) -> OrderedToMany<T> {
        guard let number = propertyOrReport(accessor).flatMap({ toManyNumber($0) }) else {
            info.probe?.note(accessorKey(accessor))
            return []
        }
        return OrderedToMany(.relationship(self, number))
    }

    /// What a setter of an ordered to-many relationship does; the other sides are set too.
    public final func setOrderedToMany<T: ManagedObject>(at accessor: Int, _ members: OrderedToMany<T>) {
        guard let number = propertyOrReport(accessor).flatMap({ toManyNumber($0) }), !members.source.isRelationship(number, of: self) else {
            return
        }
        do { try setMembers(number, Array(members)) } catch { refuse(error) }
    }

    /// What a getter of a fetched property returns; an error goes to the context and yields [].
    public final func fetchedProperty<T: ManagedObject>(at accessor: Int, as type: T.Type = T.self) -> [T] {
        guard let property = propertyOrReport(accessor) else {
            info.probe?.note(accessorKey(accessor))
            return []
        }
        do { return try fetched(property) } catch {
            _table.context?.report(error)
            return []
        }
    }

    /// What a getter of a fetched property that finds one object returns; an error goes to the context and yields nil.
    public final func fetchedObject<T: ManagedObject>(at accessor: Int, as type: T.Type = T.self) -> T? {
        fetchedProperty(at: accessor, as: type).first
    }

    // MARK: Numbers

    /// The property that an accessor's number means; nil, and a report, where the entity has none of its name.
    @inline(__always)
    private final func propertyOrReport(_ accessor: Int, _ info: EntityInfo? = nil) -> PropertyInfo? {
        let info = info ?? self.info
        if accessor < info.numbered.count, let property = info.numbered[accessor] { return property }
        reportUnknown(accessor)
        return nil
    }

    @inline(never)
    private final func reportUnknown(_ accessor: Int) {
        let key = accessorKey(accessor)
        _table.context?.report(.unknownKey(entity: info.name, key: key, nearest: info.entity.nearestPropertyName(to: key)))
    }

    private final func accessorKey(_ accessor: Int) -> String {
        let keys = type(of: self).accessorKeys
        return accessor < keys.count ? keys[accessor] : "\(accessor)"
    }

    @inline(never)
    private final func probedTarget(_ accessor: Int, _ type: ManagedObject.Type) -> ManagedObject? {
        info.probe?.note(accessorKey(accessor))
        return info.probe?.child(type)
    }

    // MARK: JSON

    private final func decoded<V: Decodable>(_ value: Value, _ accessor: Int) -> V? {
        guard case .json(let data) = value else { return nil }
        do { return try AttributeCoding.decoded(data) } catch {
            _table.context?.report(codingError(accessor, expected: "a \(V.self)", found: "JSON of something else (\(error))"))
            return nil
        }
    }

    /// The value as JSON; nil, and a refusal, where it cannot be encoded.
    private final func encoded<V: Encodable>(_ value: V?, _ accessor: Int) -> Value? {
        guard let value else { return .some(.null) }
        do { return .json(try AttributeCoding.json(value)) } catch {
            refuse(codingError(accessor, expected: "a value that JSON can hold", found: "one that cannot be encoded (\(error))"))
            return nil
        }
    }

    private final func codingError(_ accessor: Int, expected: String, found: String) -> GrabenError {
        .wrongType(entity: info.name, key: propertyOrReport(accessor)?.name ?? "\(accessor)", expected: expected, found: found)
    }
}
