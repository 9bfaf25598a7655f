import ParleyProtocol

/// The fields of an object, found by running its list in every case that changes them.
struct ObjectShape: Sendable {
    private(set) var fields: [ListedField]
    /// The fields without which an object is refused.
    private(set) var required: Set<String>
    /// The fields that stand in every written object.
    private(set) var alwaysWritten: Set<String>
    /// The fields of which exactly one must be there, each with the fields that it needs; empty if there are none.
    private(set) var alternatives: [(name: String, needed: Set<String>)] = []
    /// The fields that an optional one needs.
    private(set) var dependencies: [String: Set<String>] = [:]
    /// Lists of fields of which at most one may be there.
    private(set) var exclusive: [[String]]
    /// The fields that depend on the name of a choice.
    private(set) var variants: Variants?

    struct Variants: Sendable {
        /// The field of the choice.
        let choice: String
        /// The names with the same fields, and these.
        var cases: [(names: [String], fields: [ListedField])]
    }

    init<Object: GatewayObject>(of _: Object.Type) throws(Rejection) {
        let all = Run<Object>(ListingCase())
        let options = Set(all.options)
        func run(_ options: Set<String>) -> Run<Object> { Run(ListingCase(options: options)) }
        let singles = options.sorted().map { (name: $0, run: run([$0])) }
        var runs: [Run<Object>]
        if all.failure == nil {
            let none = run([])
            runs = [all]
            if none.failure == nil {
                runs.append(none)
                for single in singles where single.run.failure != nil {
                    dependencies[single.name] = ObjectShape.companions(of: single.name, among: options) {
                        run($0).failure == nil
                    }
                }
            } else {
                runs += options.map { run(options.subtracting([$0])) }.filter { $0.failure == nil }
            }
        } else {
            let possible = singles.filter { $0.run.failure == nil }
            guard !possible.isEmpty else { throw all.failure ?? .internalFault }
            runs = possible.map(\.run)
            alternatives = possible.map { possible in
                (possible.name, Set(possible.run.fields.filter(\.isRequired).map(\.name)).union([possible.name]))
            }
        }
        exclusive = all.exclusive
        fields = []
        required = Set(runs[0].fields.filter(\.isRequired).map(\.name))
        alwaysWritten = Set(runs[0].fields.filter(\.isAlwaysWritten).map(\.name))
        for run in runs {
            for field in run.fields where !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
            required.formIntersection(run.fields.filter(\.isRequired).map(\.name))
            alwaysWritten.formIntersection(run.fields.filter(\.isAlwaysWritten).map(\.name))
        }
        if all.failure == nil { variants = ObjectShape.variants(all) }
    }

    /// The fewest fields that a field needs beside it.
    private static func companions(
        of name: String, among options: Set<String>, isPossible: (Set<String>) -> Bool
    ) -> Set<String> {
        let others = options.subtracting([name]).sorted()
        // No list has more fields that depend on each other.
        guard others.count <= 8 else { return [] }
        let sets = (0..<(1 << others.count)).map { bits in
            Set(others.indices.filter { bits >> $0 & 1 == 1 }.map { others[$0] })
        }
        return sets.sorted { $0.count < $1.count }.first { isPossible($0.union([name])) } ?? []
    }

    /// Adds a field that the gateway writes beside those of the list, and nobody needs to send.
    mutating func insert(_ name: String, _ schema: FieldSchema, isAlwaysWritten: Bool) {
        let field = ListedField(
            name: name, schema: schema, isRequired: isAlwaysWritten, isAlwaysWritten: isAlwaysWritten,
            isNullable: false, usual: nil)
        fields.insert(field, at: 0)
        if isAlwaysWritten { alwaysWritten.insert(name) }
    }

    // MARK: Changes of a path

    /// Removes a field from the body, since the path has it.
    mutating func remove(_ name: String) {
        fields.removeAll { $0.name == name }
        required.remove(name)
    }

    /// Makes a field optional, since the door adds it.
    mutating func makeOptional(_ name: String) {
        required.remove(name)
        for index in fields.indices where fields[index].name == name {
            (fields[index].isRequired, fields[index].isNullable) = (false, true)
        }
    }

    mutating func rename(_ name: String, to newName: String) {
        for index in fields.indices where fields[index].name == name { fields[index].name = newName }
        if required.remove(name) != nil { required.insert(newName) }
    }

    /// Restricts a choice to these names.
    mutating func keepNames(of name: String, _ isKept: (String) -> Bool) {
        for index in fields.indices where fields[index].name == name {
            fields[index].schema = FieldSchema(.choice(fields[index].schema.names.filter(isKept)))
        }
    }

    // MARK: Runs

    /// One run through the list.
    private struct Run<Object: GatewayObject> {
        private let pass: FieldListing<Object>
        /// The reason why no object has this case.
        let failure: Rejection?

        init(_ listed: ListingCase) {
            var pass = FieldListing<Object>(listed)
            do throws(Rejection) {
                _ = try Object(fields: &pass)
                failure = nil
            } catch {
                failure = error
            }
            self.pass = pass
        }

        var fields: [ListedField] { pass.fields }
        var options: [String] { pass.options }
        var exclusive: [[String]] { pass.exclusive }
    }

    /// With all options, or with all but the one that this choice excludes.
    private static func run<Object: GatewayObject>(choosing choice: (String, Int), _ all: Run<Object>) -> Run<Object> {
        let whole = Run<Object>(ListingCase(choice: choice))
        guard whole.failure != nil else { return whole }
        let options = Set(all.options)
        let runs = options.sorted().lazy.map {
            Run<Object>(ListingCase(options: options.subtracting([$0]), choice: choice))
        }
        return runs.first { $0.failure == nil } ?? whole
    }

    /// The first choice whose names affect other fields.
    private static func variants<Object: GatewayObject>(_ all: Run<Object>) -> Variants? {
        for field in all.fields where field.schema.names.count > 1 {
            let names = field.schema.names
            var cases: [(names: [String], fields: [ListedField], description: [JSONElement])] = []
            for (index, name) in names.enumerated() {
                let fields = run(choosing: (field.name, index), all).fields
                let description = fields.map(\.description)
                if let place = cases.firstIndex(where: { $0.description == description }) {
                    cases[place].names.append(name)
                } else {
                    cases.append(([name], fields, description))
                }
            }
            guard cases.count > 1 else { continue }
            let common = cases.dropFirst().reduce(Set(cases[0].description)) { $0.intersection($1.description) }
            return Variants(
                choice: field.name,
                cases: cases.map { ($0.names, $0.fields.filter { !common.contains($0.description) }) })
        }
        return nil
    }
}

extension ListedField {
    /// All properties, for comparisons.
    fileprivate var description: JSONElement {
        var schemas = SchemaComponents()
        return .object([
            JSONElement.Member(key: name, value: schemas.element(of: self)),
            JSONElement.Member(key: "required", value: .literal("\(isRequired)")),
        ])
    }
}
