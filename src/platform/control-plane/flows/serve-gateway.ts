import { Secret } from '../../../kit/secret.ts'
import { pointer } from '../domain/masking.ts'
import type { Resources, Vault } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import { openSecrets, sealSecrets } from '../domain/secrets.ts'

type Needs = { resources: Pick<Resources, 'find' | 'change'>; vault: Vault }
type Rotating = { workspace: string; name: string; version: number }

const refreshTokenPointer = pointer('secret', 'REFRESH_TOKEN')

/** What the control plane knows, in the gateway's words. */
export const serveGateway = ({ resources, vault }: Needs) => ({
  async findFunction(workspace: string, name: string) {
    const found = await resources.find({ workspace, kind: 'function', parent: '', name })
    if (!found) return undefined
    const { displayName, status, spec } = found
    return { name, displayName, status: status ?? '', connections: (spec.integrationConnections ?? []) as string[] }
  },

  async findConnection(workspace: string, name: string) {
    const found = await resources.find({ workspace, kind: 'integrationconnection', parent: '', name })
    return found && toConnection(found, openSecrets(vault, found))
  },

  async rotateRefreshToken({ workspace, name, version }: Rotating, refreshToken: Secret) {
    await resources.change({ workspace, kind: 'integrationconnection', parent: '', name }, (current) => {
      if (current.version !== version) return current
      const secrets = { ...openSecrets(vault, current), [refreshTokenPointer]: refreshToken.reveal() }
      return { ...current, sealed: sealSecrets(vault, current, secrets) }
    })
  },
})

function toConnection({ id, version, workspace, name, spec }: Resource, secrets: Record<string, string>) {
  const names = Object.keys(spec.secret ?? {})
  const byName = Object.fromEntries(names.map((inner) => [inner, secrets[pointer('secret', inner)] ?? '']))
  return { id, version, workspace, name, integration: String(spec.integration), secrets: new Secret(byName) }
}
