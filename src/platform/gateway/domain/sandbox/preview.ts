export type ServedPreview = {
  workspace: string
  sandbox: string
  name: string
  port: number
  isPublic: boolean
  expiresAt: Date | undefined
  requestHeaders: Readonly<Record<string, string>>
  responseHeaders: Readonly<Record<string, string>>
}

export type ServedPreviewToken = { workspace: string; parent: string; expiresAt: Date | undefined }
