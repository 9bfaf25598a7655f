/// One step of the schema in PostgreSQL. Never changed once it has shipped.
///
/// Programs of two versions run side by side while machines are upgraded one after the other, so a step comes in two
/// parts of two versions: the first adds what the new program needs and the old one does not see ("expand"), a later
/// one takes away what no program in use needs any more ("contract").
package struct Migration: Sendable {
    /// Counts from 1 without a gap. A program's version of the schema is its last migration's.
    package let version: Int
    /// The least version whose program may go on running on the schema when this migration is done: `version` itself
    /// for one that takes away what every earlier program needs, less for one that only adds.
    package let leastCompatible: Int
    /// Each one statement of SQL, in order. They name tables without a schema: `search_path` has it. All of a
    /// migration are one transaction, so none is among them that PostgreSQL refuses within one.
    package let statements: [String]
}
