import ParleyProtocol

package struct SummaryQueries {
    let database: Database

    package func activeChallenges(of user: UserID) throws(StoreError) -> Int {
        try database.row(
            """
            SELECT count(*) FROM challenge_sides s JOIN challenges c ON c.key = s.challenge
            WHERE s."user" = ? AND s.is_open = 1 AND c.status = 'active'
                AND EXISTS (
                    SELECT 1 FROM members m WHERE m.conversation = c.conversation AND m."user" = s."user")
            """, [user.text])?[0] ?? 0
    }
}
