type Addresses = { inference: string; sandboxDomain: string | undefined }

type Preview = { id: string; workspace: string; spec: { prefixUrl?: unknown; customDomain?: unknown } }

/** The first label of its host, if the owner chose it. */
export const chosenLabel = (workspace: string, prefix: string): string => `pv-${prefix}-${workspace}`

/** With a sandbox domain, each preview has a host of its own, so that its pages share no origin. */
export const previewUrls =
  ({ inference, sandboxDomain }: Addresses) =>
  ({ id, workspace, spec: { prefixUrl: prefix, customDomain: domain } }: Preview): string => {
    if (domain) return at(inference, prefix ? `${prefix}.${domain}` : String(domain))
    if (sandboxDomain === undefined) return `${inference}/${workspace}/previews/${id}`
    const label = prefix ? chosenLabel(workspace, String(prefix)) : `pv-${id}`
    return at(inference, `${label}.local.${sandboxDomain}`)
  }

const at = (base: string, hostname: string): string => Object.assign(new URL(base), { hostname }).origin
