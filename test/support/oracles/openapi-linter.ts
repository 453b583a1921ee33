import { createConfig, lintFromString } from '@redocly/openapi-core'

/** Returns one line per complaint of Redocly's recommended rules, warnings included. `except` lists disabled rules. */
export async function lintComplaints(document: object, except: readonly string[] = []): Promise<string[]> {
  const rules = { 'info-contact': 'warn', 'operation-description': 'warn', 'operation-tag-defined': 'warn' } as const
  const config = await createConfig({ extends: ['recommended'], rules })
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  return found
    .filter(({ ruleId }) => !except.includes(ruleId))
    .map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`)
}
