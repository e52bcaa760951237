"use strict";

const form = document.getElementById("operation");
const query = document.getElementById("query");
const variables = document.getElementById("variables");
const answer = document.getElementById("answer");
const schema = document.getElementById("schema");

async function run(event) {
  event.preventDefault();
  answer.textContent = "…";
  let given = {};
  try {
    given = variables.value.trim() ? JSON.parse(variables.value) : {};
  } catch (error) {
    answer.textContent = "The variables are not JSON: " + error.message;
    return;
  }
  try {
    const response = await fetch("/dashboard/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query: query.value, variables: given }),
    });
    const text = await response.text();
    try {
      answer.textContent = JSON.stringify(JSON.parse(text), null, 2);
    } catch (_) {
      answer.textContent = response.status + " " + text;
    }
  } catch (error) {
    answer.textContent = String(error);
  }
}

form.addEventListener("submit", run);
query.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    run(event);
  }
});
fetch("/dashboard/schema.graphql")
  .then((response) => response.text())
  .then((text) => {
    schema.textContent = text;
  });
