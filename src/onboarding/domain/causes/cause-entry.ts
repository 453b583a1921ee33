/** `operator`: runs this deployment, with its keys, OAuth clients and integrations. */
export const whoseMoves = ['user', 'tenant', 'support', 'operator', 'provider', 'platform'] as const
export type WhoseMove = (typeof whoseMoves)[number]

export type CauseEntry = {
  whoseMove: WhoseMove
  /** `title` and `advice` are for tenants. Backticks mark code. */
  title: string
  advice: string
  /** At most two sentences, without our jargon; `{app}` and `{tenant}` are names. Or the cause that has the same words. */
  forUser: { title: string; advice: string } | string
  /** Advice for support agents without our jargon, and a title if `title` has jargon. */
  forAgent: string | { title: string; advice: string }
  /** Advice for the operator, if `advice` is not enough. */
  forOperator?: string
  guide: string
  /** Keeps the grant in escrow after the last retry. By default the link fails and its grant is revoked. */
  whenFinal?: 'park'
  /** The platform reports it for a grant that no longer works: the connection needs a re-link. */
  breaksConnection?: true
  /** A failed rollback cannot restore the current grant either. */
  preventsRevert?: true
  /** The grant may work once the OAuth client or the profile is corrected. */
  faultOf?: 'client' | 'profile'
}
