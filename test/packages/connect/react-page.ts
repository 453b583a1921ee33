/** A page for React 18 and 19. */
export const reactPage = `
import { createElement as h, createRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { CausewayConnect } from './packages/connect/src/react.ts'

const ref = createRef()
globalThis.refIsElement = () => ref.current === document.querySelector('causeway-connect')

function Page() {
  const [rendering, setRendering] = useState(1)
  const [disabled, setDisabled] = useState(false)
  const [told, setReported] = useState('')
  const button = h(
    CausewayConnect,
    {
      action: '/connect', mode: 'popup', className: 'big', disabled, ref, fields: { csrf: 'token-' + rendering },
      onLinked: ({ status }) => setReported('linked: ' + status + ' in rendering ' + rendering),
      onFailed: ({ causeCode }) => setReported('failed: ' + causeCode),
    },
    'Connect Files',
  )
  return h('div', null, button,
    h('button', { onClick: () => setRendering(rendering + 1) }, 'Render again'),
    h('button', { onClick: () => setDisabled(!disabled) }, 'Disable'),
    h('p', { role: 'status' }, told))
}

const root = document.getElementById('root')
if (root) createRoot(root).render(h(Page))
`
