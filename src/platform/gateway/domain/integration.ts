import type { Profile } from '../../../contract/integrations/profile.ts'

export { filledProfile } from '../../../contract/integrations/filled-profile.ts'
export { isAmong } from '../../../contract/integrations/oauth.ts'
export {
  bodyTypes,
  mayDestroy,
  placeholder,
  placeholdersIn,
  readsOnly,
  type Tool,
} from '../../../contract/integrations/tool.ts'

export type Integration = Profile

export type Integrations = {
  get(id: string): Integration | undefined
  has(id: string): boolean
  all(): Integration[]
  /** Another object after each change. */
  current(): object
}

/** An access token is never sent with less security than its token endpoint has. */
export const protocolOf = ({ endpoints, issuer = '' }: Pick<Integration, 'endpoints' | 'issuer'>): string =>
  new URL(endpoints?.token ?? issuer).protocol
