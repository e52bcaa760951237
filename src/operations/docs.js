"use strict";
Redoc.init(
  "/openapi.json",
  {
    disableSearch: false,
    hideDownloadButton: false,
    nativeScrollbars: true,
    theme: {
      typography: {
        fontFamily: "system-ui, sans-serif",
        headings: { fontFamily: "system-ui, sans-serif" },
        code: { fontFamily: "ui-monospace, monospace" },
      },
      logo: { gutter: "24px" },
    },
  },
  document.getElementById("document"),
);
