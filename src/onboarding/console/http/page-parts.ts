import type { CatalogueItem } from '../../domain/catalogue/catalogue-item.ts'
import type { ConsoleSettings } from '../../domain/console.ts'
import type { ConsoleDeps } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ViewerUrls } from '../../domain/trace/link-places.ts'
import type { Readiness } from '../../http/health.ts'
import type { Languages } from '../../http/languages.ts'

export type PageParts = {
  ports: ConsoleDeps['ports']
  settings: Settings
  console: ConsoleSettings
  integrations(): readonly CatalogueItem[]
  platformConsoleUrl: string | undefined
  viewers: ViewerUrls
  languages: Languages
  readiness: Readiness
}
