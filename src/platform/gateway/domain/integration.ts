import type { Profile } from '../../../contract/integrations/profile.ts'

export { isAmong } from '../../../contract/integrations/answer-error.ts'
export { filledProfile } from '../../../contract/integrations/filled-profile.ts'
export {
  bodyTypes,
  mayDestroy,
  placeholder,
  placeholdersIn,
  readsOnly,
  type Tool,
} from '../../../contract/integrations/tool.ts'

/** What functions can act at, and how its grants are refreshed. */
export type Integration = Profile

export type Integrations = {
  get(id: string): Integration | undefined
  ids(): ReadonlySet<string>
  all(): Integration[]
}

/** An access token never travels over a weaker wire than the one it came by. */
export const protocolOf = ({ endpoints, issuer = '' }: Pick<Integration, 'endpoints' | 'issuer'>): string =>
  new URL(endpoints?.token ?? issuer).protocol
