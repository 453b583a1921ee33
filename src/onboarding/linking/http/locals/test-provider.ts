import type { Translator } from '../../../../kit/messages/translator.ts'
import { appIcon } from '../../../domain/catalogue/app-icon.ts'
import type { Integration } from '../../../domain/integration.ts'
import { testOutcomes } from '../../../domain/test-mode/test-mode.ts'

type ShownApp = Pick<Integration, 'displayName' | 'icon' | 'color' | 'about'>

export const testProviderLocals = (app: ShownApp, address: string, { t }: Pick<Translator, 't'>) => ({
  title: t('testProvider.title', { app: app.displayName }),
  testMode: true,
  lead: t('testProvider.lead', { app: app.displayName }),
  icon: appIcon(app),
  choices: testOutcomes.map((outcome) => ({
    href: `${address}&outcome=${outcome}`,
    label: t(`testProvider.${outcome}`),
    detail: t(`testProvider.${outcome}Detail`),
    code: outcome,
  })),
})
