/** A process of the system, by the name with which it proves itself. */
type Peer = 'gateway' | 'identity-svc' | 'submission-svc' | 'dataset-svc' | 'media-svc' | 'export-svc';

const GATEWAY = ['gateway'] as const;

/**
 * The processes that may call each method of the gRPC services and each prefix of the internal HTTP ports. The guard refuses
 * every other call.
 */
export const PEERS = {
  // Of every service: what one of them received could be shown to the others, where it opens no more than their state.
  'esd.common.v1.StatusService': { GetStatus: GATEWAY },
  'esd.identity.v1.IdentityService': {
    ResolveBearer: GATEWAY,
    CreateFirstAdmin: GATEWAY,
    Login: GATEWAY,
    Refresh: GATEWAY,
    EndByRefreshToken: GATEWAY,
    GetOwnAccount: GATEWAY,
    Register: GATEWAY,
    VerifyEmail: GATEWAY,
    ResendVerification: GATEWAY,
    ForgotPassword: GATEWAY,
    ResetPassword: GATEWAY,
    ChangePassword: GATEWAY,
    UpdateProfile: GATEWAY,
    ListOwnActs: GATEWAY,
    DeleteAccount: GATEWAY,
  },
  'esd.identity.v1.TokenService': {
    ListTokens: GATEWAY,
    CreateToken: GATEWAY,
    RevokeToken: GATEWAY,
    RegenerateToken: GATEWAY,
  },
  'esd.identity.v1.SessionService': {
    ListSessions: GATEWAY,
    EndSession: GATEWAY,
    Logout: GATEWAY,
    LogoutAll: GATEWAY,
    ListSessionKeys: GATEWAY,
  },
  'esd.identity.v1.TwoFactorService': {
    GetTwoFactor: GATEWAY,
    BeginTwoFactor: GATEWAY,
    ConfirmTwoFactor: GATEWAY,
    DisableTwoFactor: GATEWAY,
  },
  'esd.identity.v1.AdministrationService': {
    ListAccounts: GATEWAY,
    SetAccountRole: GATEWAY,
    SetAccountEnabled: GATEWAY,
    ListAudit: GATEWAY,
  },
  'esd.submission.v1.SubmissionService': {
    Submit: GATEWAY,
    UpdateRecord: GATEWAY,
    UpdateSubmission: GATEWAY,
    ListOwnRecordIds: GATEWAY,
    ListOwnRecords: GATEWAY,
    ListOwnSubmissions: GATEWAY,
    GetOwnExperiment: GATEWAY,
    GetOwnHistory: GATEWAY,
    GetOwnSubmission: GATEWAY,
    ExportOwnData: GATEWAY,
  },
  'esd.submission.v1.ModerationService': {
    ListQueue: GATEWAY,
    GetReview: GATEWAY,
    ApproveRecords: GATEWAY,
    RejectRecords: GATEWAY,
    WithdrawRecord: GATEWAY,
    RestoreRecord: GATEWAY,
    ReopenRecord: GATEWAY,
    ListOwnDecisions: GATEWAY,
    EraseSubmitter: GATEWAY,
  },
  'esd.submission.v1.RecordImageService': { AttachImage: GATEWAY, ListImages: GATEWAY, DeleteImage: GATEWAY },
  'esd.submission.v1.RecordMessageService': { ListMessages: GATEWAY, AddMessage: GATEWAY },
  'esd.submission.v1.ContributorsService': { ListContributors: GATEWAY },
  'esd.submission.v1.FeedbackService': {
    SubmitFeedback: GATEWAY,
    ListFeedback: GATEWAY,
    GetFeedback: GATEWAY,
    GetFeedbackImage: GATEWAY,
    UpdateFeedback: GATEWAY,
    DeleteFeedback: GATEWAY,
  },
  'esd.submission.v1.ReferenceUseService': { CountUse: GATEWAY },
  'esd.submission.v1.ImageUseService': { FindImageUses: ['media-svc'] },
  'esd.dataset.v1.DatasetService': {
    GetHead: ['gateway', 'export-svc'],
    QueryRecords: GATEWAY,
    GetRecord: GATEWAY,
    GetRecordHistory: GATEWAY,
    ExplainFilter: GATEWAY,
    Explore: ['gateway', 'export-svc'],
    GetFeatureRanges: ['submission-svc'],
    ScanRecords: ['export-svc'],
  },
  'esd.dataset.v1.ReferenceService': {
    GetLists: ['gateway', 'submission-svc', 'export-svc'],
    CreateEntry: GATEWAY,
    ReplaceEntry: GATEWAY,
    ListEntryNames: GATEWAY,
    DeleteEntry: GATEWAY,
    ListChanges: GATEWAY,
  },
  'esd.dataset.v1.SnapshotService': {
    CreateSnapshot: GATEWAY,
    ListSnapshots: GATEWAY,
    GetSnapshot: ['gateway', 'export-svc'],
    DeleteSnapshot: GATEWAY,
    ListOwnChanges: GATEWAY,
  },
  'esd.dataset.v1.QueryService': { CreateQuery: GATEWAY, GetQuery: ['gateway', 'export-svc'] },
  'esd.dataset.v1.ReleaseService': {
    ReserveRelease: ['export-svc'],
    SetReleaseFailed: ['export-svc'],
    ListReleases: ['gateway', 'export-svc'],
    FindRelease: ['gateway', 'export-svc'],
    GetRelease: GATEWAY,
    DescribeRelease: GATEWAY,
    DiffStates: GATEWAY,
  },
  'esd.media.v1.ImageService': {
    DescribeImages: ['submission-svc'],
    ReserveImages: ['submission-svc'],
    ClaimImages: ['submission-svc'],
    CancelReservation: ['submission-svc'],
    ReleaseImages: ['submission-svc'],
    DeleteImages: ['submission-svc'],
    DeleteUnattachedImage: GATEWAY,
  },
  'esd.export.v1.FreezeService': { StartFreeze: GATEWAY, GetFreezeProgress: GATEWAY },
  'esd.export.v1.UsageService': { CountView: GATEWAY, GetUsage: GATEWAY, GetUsageByDay: GATEWAY },
  'http:/images': { GET: ['gateway', 'export-svc'], HEAD: GATEWAY, POST: GATEWAY },
  'http:/public': { GET: GATEWAY, HEAD: GATEWAY },
  'http:/files': { GET: GATEWAY, HEAD: GATEWAY },
  'http:/data': { GET: GATEWAY, HEAD: GATEWAY, POST: GATEWAY },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Peer[]>>>>;

/** The target of an assertion: a gRPC service by its full name, or `http:/` and the first segment of the internal paths. */
export type Target = keyof typeof PEERS;
