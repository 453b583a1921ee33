export { type EffectivePolicy, NarrowPolicy } from '../../../contract/integrations/tool-policy.ts'

export const policySubject = {
  tenant: (id: string) => `tenant/${id}`,
  connection: (id: string) => `connection/${id}`,
  /** Of an MCP client, so that it stays when the client gets another grant. */
  login: (connection: string, client: string) => `login/${connection}/${client}`,
}
