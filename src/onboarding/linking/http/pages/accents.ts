import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { type AccentColors, accentColors, accentPattern } from '../../../domain/branding/branding.ts'
import { Failure } from '../../../domain/failure.ts'

/** Derived from the URL only: no tenant lookup, and no inline styles, which our content security policy forbids. */
export const accentPages = () =>
  exactRouter().get('/accents/:name', (req, res) => {
    const color = `#${req.params.name.slice(0, -'.css'.length)}`
    if (!req.params.name.endsWith('.css') || !accentPattern.test(color)) {
      throw new Failure('not_found', 'There is nothing at this address.')
    }
    const { light, dark } = accentColors(color)
    res.type('css').setHeader('Cache-Control', 'public, max-age=600')
    res.send(`${rootOf(light)}\n@media (prefers-color-scheme: dark) {\n${rootOf(dark)}\n}\n`)
  })

const rootOf = (colors: AccentColors): string =>
  `:root { ${Object.entries(colors)
    .map(([name, color]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${color};`)
    .join(' ')} }`
