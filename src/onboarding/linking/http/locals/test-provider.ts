import type { Translator } from '../../../../kit/messages/translator.ts'
import { testOutcomes } from '../../../domain/test-mode/test-mode.ts'

export const testProviderLocals = (app: string, address: string, { t }: Pick<Translator, 't'>) => ({
  title: t('testProvider.title', { app }),
  testMode: true,
  lead: t('testProvider.lead', { app }),
  choices: testOutcomes.map((outcome) => ({
    href: `${address}&outcome=${outcome}`,
    label: t(`testProvider.${outcome}`),
    detail: t(`testProvider.${outcome}Detail`),
  })),
})
