import { gapsOf } from '../../../contract/integrations/address-template.ts'
import type { Integration } from '../integration.ts'
import type { PartReport } from '../platform-report.ts'

type Addresses = Pick<Integration, 'issuer' | 'endpoints' | 'exchange' | 'refresh' | 'revocation' | 'mcpUrl'>

export const calledTemplates = ({ issuer, endpoints, exchange, refresh, revocation, mcpUrl }: Addresses): string[] =>
  [
    mcpUrl,
    endpoints ? undefined : issuer,
    endpoints?.token,
    endpoints?.userinfo,
    endpoints?.jwks,
    exchange?.url,
    refresh.url,
    revocation.url,
  ].filter((address) => address !== undefined)

export const isWhole = (address: string | undefined): address is string =>
  address !== undefined && URL.canParse(address) && gapsOf(address).length === 0

type MayCall = (address: string) => boolean

export function blockedHosts(integration: Addresses, mayCall: MayCall): string[] {
  const blocked = calledTemplates(integration).filter((address) => isWhole(address) && !mayCall(address))
  return [...new Set(blocked.map((address) => new URL(address).host))]
}

/** Tools call them with the grant. */
export const blockedApiHosts = ({ apiHosts }: Pick<Integration, 'apiHosts'>, mayCall: MayCall): string[] =>
  apiHosts.filter((host) => isWhole(`https://${host}`) && !mayCall(`https://${host}`))

export function integrationsReport(integrations: readonly Integration[], mayCall: MayCall): PartReport {
  const blocked = integrations.filter((each) => blockedHosts(each, mayCall).length > 0)
  return {
    ready: true,
    state: 'ready',
    warnings: blocked.map(
      ({ id }) =>
        `An address of the integration ${id} is not called: it is private or has no TLS, and is not in EGRESS_ALLOW. \`causeway doctor ${id}\` names it.`,
    ),
  }
}
