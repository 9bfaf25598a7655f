/// Every operation of the gateway, in the order of protocol §5. An operation exists by its line here.
package enum OperationTable {
    package enum Entry: Sendable {
        case command(any Command.Type)
        case query(any Query.Type)

        package var request: any Request.Type {
            switch self {
            case .command(let type): type
            case .query(let type): type
            }
        }
    }

    package static let entries: [Entry] = [
        .command(SendMessage.self),
        .command(EditMessage.self),
        .command(DeleteMessage.self),
        .command(ReactToMessage.self),
        .query(GetHistory.self),
        .query(SyncRequest.self),
        .command(MarkDelivered.self),
        .command(MarkRead.self),
        .command(StartTyping.self),
        .command(StopTyping.self),
        .command(CreateBlob.self),
        .query(GetBlob.self),
        .command(DeleteBlob.self),
        .command(CollectBlobs.self),
        .command(CreateConversation.self),
        .query(GetConversation.self),
        .query(ListConversations.self),
        .command(UpdateConversation.self),
        .command(AddMembers.self),
        .command(RemoveMember.self),
        .command(SetRole.self),
        .command(LeaveConversation.self),
        .query(ListRequests.self),
        .command(AcceptRequest.self),
        .command(DeclineRequest.self),
        .command(PublishKeys.self),
        .query(GetKeys.self),
        .command(BackUpAccount.self),
        .query(GetAccountBackup.self),
        .command(LinkOffer.self),
        .query(GetLink.self),
        .command(LinkApproval.self),
        .query(ListDevices.self),
        .command(RevokeDevice.self),
        .command(RenewDevice.self),
        .command(RegisterPush.self),
        .command(UnregisterPush.self),
        .query(GetProfile.self),
        .command(ProfileChange.self),
        .command(Follow.self),
        .command(Unfollow.self),
        .command(Block.self),
        .command(Unblock.self),
        .query(ListFollowers.self),
        .query(ListFollowing.self),
        .query(ListBlocked.self),
        .query(CanMessage.self),
        .command(CreateGroup.self),
        .query(GetGroup.self),
        .query(ListGroups.self),
        .command(UpdateGroup.self),
        .command(DeleteGroup.self),
        .command(LeaveGroup.self),
        .command(RemoveGroupMember.self),
        .command(SetGroupRole.self),
        .command(CreateInvite.self),
        .query(ListInvites.self),
        .command(RevokeInvite.self),
        .query(PreviewInvite.self),
        .command(AcceptInvite.self),
        .command(LogWorkout.self),
        .command(DeleteWorkout.self),
        .command(ReportMetrics.self),
        .query(GetLeaderboard.self),
        .command(CreateChallenge.self),
        .command(AcceptChallenge.self),
        .command(DeclineChallenge.self),
        .command(CancelChallenge.self),
        .query(GetChallenge.self),
        .query(ListChallenges.self),
        .command(PostActivity.self),
        .query(ListActivity.self),
        .command(ReactToActivity.self),
        .command(UnreactToActivity.self),
        .query(GetSummary.self),
        .query(ListNotifications.self),
        .command(MarkNotificationsRead.self),
        .command(CreateReport.self),
        .query(GetAccount.self),
        .command(LinkIdentity.self),
        .command(ConfirmEmail.self),
        .command(UnlinkIdentity.self),
        .command(SetPassword.self),
        .command(SignOutEverywhere.self),
        .command(DeleteAccount.self),
        .command(Register.self),
        .command(VerifyRegistration.self),
        .command(SignInByPassword.self),
        .command(SignInByProvider.self),
        .command(SendAccountCode.self),
        .command(ResetPassword.self),
        .query(GetAccountProviders.self),
        .command(AddUser.self),
        .query(ListUsers.self),
        .query(GetUser.self),
        .command(RenameUser.self),
        .command(DisableUser.self),
        .command(EnableUser.self),
        .command(RemoveUser.self),
        .command(EraseUser.self),
        .query(ExportUser.self),
        .command(SetRetention.self),
        .query(GetRetention.self),
        .command(AddDevice.self),
        .command(RenewUserDevice.self),
        .command(RevokeUserDevice.self),
        .query(ExplainPermission.self),
        .query(ListReports.self),
        .query(TraceMessage.self),
        .query(ExplainPush.self),
        .command(TestPush.self),
        .query(GetOperatingStatus.self),
        .query(GetGatewayInfo.self),
    ]

    package static let all: [any Request.Type] = entries.map(\.request)

    /// Those that a web door carries out for its clients.
    package static let forClients: [any Request.Type] = all.filter { $0.askers != .doorsAlone }

    private static let byOperation: [Operation: any Request.Type] = {
        var table: [Operation: any Request.Type] = [:]
        for request in all { table[request.operation] = request }
        return table
    }()

    /// `nil` for an unknown operation.
    package static func request(_ operation: Operation) -> (any Request.Type)? { byOperation[operation] }
}
