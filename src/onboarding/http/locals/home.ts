import type { Translator } from '../../../kit/messages/translator.ts'

export function homeLocals(hasConsole: boolean, { t }: Pick<Translator, 't'>) {
  const pages = [
    { href: '/catalogue', name: 'apps' },
    { href: '/docs', name: 'api' },
    ...(hasConsole ? [{ href: '/support', name: 'console' }] : []),
  ]
  return { pages: pages.map(({ href, name }) => ({ href, label: t(`home.${name}`), about: t(`home.${name}_about`) })) }
}
