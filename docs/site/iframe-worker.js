// Searching needs a worker, which browsers refuse to pages that were opened from a file: there an invisible frame does its work.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.body.appendChild(document.createElement("iframe")), inside = frame.contentWindow;
      frame.hidden = true;
      const load = (src) => new Promise((done) => inside.document.body.append(Object.assign(inside.document.createElement("script"), { src, onload: done })));
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = async (...urls) => { for (const one of urls) await load(one); };
      this.postMessage = (data) => this.ready.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
      this.terminate = () => frame.remove();
      this.ready = load(url);
    }
  };
