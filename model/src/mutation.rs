//! Deliberate mistakes, so that a test can show that the comparison would notice them.

/// One mistake that a model can be told to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each name says what is done wrong")]
pub enum Mutation {
    FreshAtItsEnd,
    FirstFaultMakesUnknown,
    EqualFaultCounts,
    RepeatedDeliveryIsASample,
    EqIncludesItsEdge,
    MeanOfTheScopeOnly,
    BlockKeepsSamples,
    StopKeepsSamples,
    HoldWithoutSamplesCompletes,
    EqualPutIsAnEdit,
    DeleteKeepsClaims,
    LaterActionRenewsClaim,
    LargestRuleIdWins,
    WiderScopeWins,
    PulseWindowIsClosed,
    PulsedDeviceIsSettled,
    UnlockKeepsLastSent,
    OnlineKeepsLastSent,
    OnPeriodRestarts,
    SafeSettingUnderMaxOnLock,
    ReleaseEndsManually,
    ResumedKeepsSamples,
    ResumedMissesAtSixtySeconds,
    ResumedForgetsOverride,
    PatienceIsForgottenOnFiring,
    UnknownResolvesAlert,
    NoDataRepeats,
    EditForgetsNotification,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Self; 28] = [
        Self::FreshAtItsEnd,
        Self::FirstFaultMakesUnknown,
        Self::EqualFaultCounts,
        Self::RepeatedDeliveryIsASample,
        Self::EqIncludesItsEdge,
        Self::MeanOfTheScopeOnly,
        Self::BlockKeepsSamples,
        Self::StopKeepsSamples,
        Self::HoldWithoutSamplesCompletes,
        Self::EqualPutIsAnEdit,
        Self::DeleteKeepsClaims,
        Self::LaterActionRenewsClaim,
        Self::LargestRuleIdWins,
        Self::WiderScopeWins,
        Self::PulseWindowIsClosed,
        Self::PulsedDeviceIsSettled,
        Self::UnlockKeepsLastSent,
        Self::OnlineKeepsLastSent,
        Self::OnPeriodRestarts,
        Self::SafeSettingUnderMaxOnLock,
        Self::ReleaseEndsManually,
        Self::ResumedKeepsSamples,
        Self::ResumedMissesAtSixtySeconds,
        Self::ResumedForgetsOverride,
        Self::PatienceIsForgottenOnFiring,
        Self::UnknownResolvesAlert,
        Self::NoDataRepeats,
        Self::EditForgetsNotification,
    ];
}
