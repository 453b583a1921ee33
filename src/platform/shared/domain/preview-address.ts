type Addresses = { inference: string; sandboxDomain: string | undefined }

/** With a sandbox domain, each preview has a host of its own, so that its pages share no origin. */
export const previewUrls =
  ({ inference, sandboxDomain }: Addresses) =>
  (workspace: string, id: string): string =>
    sandboxDomain === undefined
      ? `${inference}/${workspace}/previews/${id}`
      : Object.assign(new URL(inference), { hostname: `pv-${id}.local.${sandboxDomain}` }).origin
