import ParleyProtocol

extension GetGatewayInfo: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let info = GatewayInfo(
            version: parleyVersion, protocolVersion: Topic.version, serverTime: context.now,
            limits: context.reader.settings.limitsOfDevices, operations: OperationTable.all.map { $0.operation },
            vapidKey: context.reader.vapidKey)
        return info.write
    }
}

extension Settings {
    /// The limits of devices (protocol §4): those of the contract, and those that are set, by the setting's name.
    fileprivate var limitsOfDevices: [GatewayInfo.Limit] {
        [
            .init("request_bytes", Limits.requestBytes),
            .init("packet_bytes", Limits.packetBytes),
            .init("json_depth", Limits.jsonDepth),
            .init("object_members", Limits.objectMembers),
            .init("content_bytes", Limits.contentBytes),
            .init("recipient_keys", Limits.recipientKeys),
            .init("page_items", Limits.pageItems),
            .init("page_bytes", Limits.pageBytes),
            .init("name_characters", Limits.nameCharacters),
            .init("edits_of_message", Limits.editsOfMessage),
            .init("unread_count", Limits.unreadCount),
            .init("group_members", groupMembers),
            .init("open_conversations", openConversations),
            .init("groups_by_others", groupsByOthers),
            .init("groups_per_user", groupsPerUser),
            .init("request_burst", requestBurst),
            .init("requests_per_second", requestsPerSecond),
            .init("typing_interval_ms", typingIntervalMilliseconds),
            .init("first_message_burst", firstMessageBurst),
            .init("first_messages_per_hour", firstMessagesPerHour),
            .init("key_fetches_per_hour", keyFetchesPerHour),
            .init("stranger_lookups_per_hour", strangerLookupsPerHour),
            .init("reports_per_hour", reportsPerHour),
            .init("activities_per_hour", activitiesPerHour),
            .init("activity_reactions_per_hour", activityReactionsPerHour),
            .init("account_backups_per_hour", accountBackupsPerHour),
            .init("invites_per_hour", invitesPerHour),
            .init("blob_bytes", blobBytes),
            .init("blob_bytes_per_day", blobBytesPerDay),
            .init("blobs_open", blobsOpen),
            .init("blob_unreferenced_hours", blobUnreferencedHours),
            .init("week_grace_hours", weekGraceHours),
            .init("check_ins_per_day", checkInsPerDay),
            .init("open_challenges", openChallenges),
            .init("challenges_per_hour", challengesPerHour),
            .init("steps_per_day", stepsPerDay),
            .init("calories_per_day", caloriesPerDay),
            .init("exercise_minutes_per_day", exerciseMinutesPerDay),
            .init("stored_bytes_per_day", storedBytesPerDay),
        ]
    }
}
