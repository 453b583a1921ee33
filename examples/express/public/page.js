// Show the account that the popup has linked.
document.addEventListener('linked', () => location.reload())
